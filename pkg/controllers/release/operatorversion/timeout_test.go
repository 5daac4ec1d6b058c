// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

// A reconciliation that ends before the sandbox does would report a failed request instead of a
// chart that is too slow, and render the same chart again and again.
func TestTimeoutOutlastsTheSandbox(t *testing.T) {
	require.Greater(t, base.RenderTimeout, sandbox.MaxTime+time.Minute)
}
