// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// TestKstatus_ReadsEveryState tests the wait of Helm, which uses kstatus. The wait must neither end
// before an object is ready nor last until its timeout for an object that a user has to correct.
func TestKstatus_ReadsEveryState(t *testing.T) {
	for _, resource := range withStatus(t) {
		for _, state := range states(t, resource) {
			t.Run(resource.Kind.Kind+" "+state.name, func(t *testing.T) {
				result, err := status.Compute(state.object)
				require.NoError(t, err)
				assert.Equal(t, state.want.flux, result.Status.String())
				if state.want == degraded {
					assert.Equal(t, "What to do.", result.Message)
				}
			})
		}
	}
}
