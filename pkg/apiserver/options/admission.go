// SPDX-License-Identifier: Apache-2.0

package options

import (
	genericoptions "k8s.io/apiserver/pkg/server/options"

	"roadstead.dev/roadstead/pkg/admission"
)

// newAdmission returns the generic server's plugins and ours, in the reviewed order.
func newAdmission() *genericoptions.AdmissionOptions {
	options := genericoptions.NewAdmissionOptions()
	admission.Register(options.Plugins)
	options.RecommendedPluginOrder = admission.Order()
	return options
}
