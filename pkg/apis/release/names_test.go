// SPDX-License-Identifier: Apache-2.0

package release

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	require.Equal(t, "cert-manager-v1.15.0", OperatorVersionName("cert-manager", "v1.15.0"))
	require.Equal(t, "op-1.0.0-rc.1-build.5", OperatorVersionName("op", "1.0.0-RC.1+Build.5"))
	require.Equal(t, "op-1.0.0.widgets.example.com", CRDSchemaName("op-1.0.0", "widgets.example.com"))
}
