// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

func init() { metrics.Registry.MustRegister(keeper.Collectors()...) }
