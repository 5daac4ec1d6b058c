// SPDX-License-Identifier: Apache-2.0

package hold

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

func TestSet(t *testing.T) {
	Set("Example", ScopeInstallation, 2)
	Set("Example", ScopeTenant, 3)
	Set("Example", ScopeTenant, 0)
	require.NoError(t, testutil.GatherAndCompare(metrics.Registry, strings.NewReader(`
# HELP roadstead_held Number of names that a hold keeps back until a person releases them. 0 is normal.
# TYPE roadstead_held gauge
roadstead_held{hold="Example",scope="installation"} 2
roadstead_held{hold="Example",scope="tenant"} 0
`), "roadstead_held"))
}
