// SPDX-License-Identifier: Apache-2.0

package options

import (
	"k8s.io/component-base/metrics/legacyregistry"

	"roadstead.dev/roadstead/pkg/util/version"
)

func init() { legacyregistry.Registerer().MustRegister(version.NewCollector()) }
