// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

// The alert RoadsteadOnceSecretMissing reads the metric of the controller too.
func TestOnceSecretsAreMeasured(t *testing.T) {
	var registered prometheus.AlreadyRegisteredError
	require.ErrorAs(t, metrics.Registry.Register(keeper.Collector()), &registered)
}
