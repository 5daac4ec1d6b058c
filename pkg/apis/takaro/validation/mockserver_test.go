// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestValidateMockServer_Reference(t *testing.T) {
	replicas := int32(1)
	server := &takaro.MockServer{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: takaro.MockServerSpec{
		Name: "mock", Replicas: &replicas, TakaroAPIURL: "https://api.takaro.test", ExternalReferenceID: "roadstead:other:uid",
	}}
	require.Empty(t, ValidateMockServer(server), "the domain of another Domain")
	server.Spec.ExternalReferenceID = "roadstead-anchor:x"
	requireErrors(t, []string{`spec.externalReferenceId: may not start with "roadstead-anchor:"`}, ValidateMockServer(server))
	require.Empty(t, ValidateMockServerUpdate(server, server), "an object that an earlier release stored stays writable")
}
