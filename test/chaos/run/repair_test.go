// SPDX-License-Identifier: Apache-2.0

package run

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestRepair(t *testing.T) {
	endpoint := func(name, token string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "takaro.roadstead.dev/v1alpha1", "kind": "TakaroEndpoint", "metadata": map[string]any{"name": name, "namespace": "ns"},
			"status": map[string]any{"holds": []any{map[string]any{"type": "Vanished", "token": token}}},
		}}
	}
	other := endpoint("other", "")
	other.Object["status"] = map[string]any{"conditions": []any{
		map[string]any{"type": "Ready", "message": "Run: kubectl annotate tep other -n ns roadstead.dev/accept-identity=a-1/none --overwrite"},
	}}
	kinds := map[schema.GroupVersionResource]string{endpoints: "TakaroEndpointList"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(
		runtime.NewScheme(), kinds, endpoint("held", "4-abcdef"), endpoint("free", ""), other)
	w := &world.World{
		Options: world.Options{Out: io.Discard}, Dynamic: client, Takaro: takaro.New(takaro.Options{}), Failing: takaro.New(takaro.Options{}),
	}
	adopts := check.Object{Adopt: true, Reference: "wanted"}
	for range 2 {
		require.NoError(t, repair(t.Context(), w, []check.Object{adopts, {Reference: "typed"}}))
	}
	for name, want := range map[string]map[string]string{
		"held": {releaseAnnotation: "4-abcdef"}, "free": nil, "other": {acceptAnnotation: "a-1/none"},
	} {
		got, err := client.Resource(endpoints).Namespace("ns").Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, want, got.GetAnnotations())
	}
	require.Len(t, w.Takaro.Domains(), 1)
	require.Equal(t, "wanted", w.Outside().Planted[0].ExternalReference)
}
