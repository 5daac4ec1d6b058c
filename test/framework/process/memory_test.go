// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeakMemory(t *testing.T) {
	peak, err := PeakMemory(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, peak, 1<<20)
	require.Less(t, peak, 1<<32)
	_, err = PeakMemory(-1)
	require.Error(t, err)
}
