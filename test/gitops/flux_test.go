// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"os"
	"testing"

	"github.com/fluxcd/pkg/apis/kustomize"
	fluxcel "github.com/fluxcd/pkg/runtime/cel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestFlux_ReadsEveryState evaluates the shipped spec.healthCheckExprs as Flux's
// kustomize-controller does.
func TestFlux_ReadsEveryState(t *testing.T) {
	text, err := os.ReadFile("../../artifacts/gitops/flux/kustomization.yaml")
	require.NoError(t, err)
	var kustomization struct {
		Spec struct {
			HealthCheckExprs []kustomize.CustomHealthCheck `json:"healthCheckExprs"`
		} `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &kustomization))
	checks := map[string]kustomize.CustomHealthCheck{}
	for _, check := range kustomization.Spec.HealthCheckExprs {
		checks[check.APIVersion+" "+check.Kind] = check
	}
	_, err = fluxcel.NewStatusReader(kustomization.Spec.HealthCheckExprs)
	require.NoError(t, err)
	resources := withStatus(t)
	assert.Len(t, checks, len(resources), "a check for each kind, and no other")
	for _, resource := range resources {
		check, found := checks[resource.GroupVersion.String()+" "+resource.Kind.Kind]
		if !assert.True(t, found, "no check for %s", resource.Kind) {
			continue
		}
		evaluator, err := fluxcel.NewStatusEvaluator(&check.HealthCheckExpressions)
		require.NoError(t, err)
		for _, state := range states(t, resource) {
			if state.want == ending {
				continue // Flux reports deletion before it evaluates an expression
			}
			t.Run(resource.Kind.Kind+" "+state.name, func(t *testing.T) {
				result, err := evaluator.Evaluate(t.Context(), state.object)
				require.NoError(t, err)
				assert.Equal(t, state.want.flux, result.Status.String())
			})
		}
	}
}
