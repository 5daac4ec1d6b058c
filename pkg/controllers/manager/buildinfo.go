// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/util/version"
)

func init() { metrics.Registry.MustRegister(version.NewCollector()) }
