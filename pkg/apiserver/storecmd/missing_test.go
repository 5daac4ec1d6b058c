// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func TestWhichOwnersAreMissing(t *testing.T) {
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	owned := func(name string, owners ...metav1.OwnerReference) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, OwnerReferences: owners}}
	}
	domain := func(name string, uid types.UID) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "Domain", Name: name, UID: uid}
	}
	stored := map[types.UID]bool{"here": true}
	var found []missing
	for _, object := range []*metav1.PartialObjectMetadata{
		owned("kept", domain("arena", "here")),
		owned("free"),
		owned("of-another-kind", metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "x"}),
		owned("of-a-look-alike", metav1.OwnerReference{APIVersion: "notroadstead.dev/v1", Kind: "Domain", Name: "d", UID: "x"}),
		owned("lost-b", domain("gone", "lost")),
		owned("lost-a", domain("gone", "lost")),
		owned("recreated", domain("arena", "before")),
	} {
		found = append(found, missingOf(secrets, object, stored)...)
	}
	require.Equal(t, `2 owners are not in this store. The garbage collector deletes what they own as soon as the store is served:
Domain team/arena (UID before)
    secrets team/recreated
Domain team/gone (UID lost)
    secrets team/lost-a
    secrets team/lost-b
`, describe(found))
}

func TestClusterScopedNames(t *testing.T) {
	require.Equal(t, "a", join("", "a"))
	require.True(t, isOurs("roadstead.dev"))
}

func TestHelpIsThatOfTheCommand(t *testing.T) {
	for _, command := range Commands() {
		require.NotEmpty(t, command.Short)
		require.NotContains(t, command.UsageString(), "--secure-port", command.Name())
	}
}
