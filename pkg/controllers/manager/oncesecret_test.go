// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

// The alerts RoadsteadOnceSecretMissing and RoadsteadOnceSecretRestored also use the metrics of the
// controller.
func TestOnceSecretsAreMeasured(t *testing.T) {
	for _, collector := range keeper.Collectors() {
		var registered prometheus.AlreadyRegisteredError
		require.ErrorAs(t, metrics.Registry.Register(collector), &registered)
	}
}
