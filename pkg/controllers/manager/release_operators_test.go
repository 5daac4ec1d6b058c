// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSandboxGauge(t *testing.T) {
	unavailable := false
	gauge := newSandboxGauge(func() bool { return unavailable })
	require.Equal(t, "roadstead_sandbox_unavailable 0", exposition(t, gauge))
	unavailable = true
	require.Equal(t, "roadstead_sandbox_unavailable 1", exposition(t, gauge))
}
