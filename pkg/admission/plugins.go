// SPDX-License-Identifier: Apache-2.0

// Package admission lists the admission plugins of the server and their order.
package admission

import (
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"

	"roadstead.dev/roadstead/pkg/admission/domainadoption"
	"roadstead.dev/roadstead/pkg/admission/domainreference"
	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/admission/ownerreferences"
	"roadstead.dev/roadstead/pkg/admission/releaseevidence"
	"roadstead.dev/roadstead/pkg/admission/secretaccess"
)

// Order returns the plugins in the order in which they run. A new one of ours goes above the policies and webhooks of
// the host, so that those judge what ours let pass.
func Order() []string {
	return []string{
		// 404 or 403 for a namespace that is absent or terminating.
		lifecycle.PluginName,
		// Callers have the content of Secrets sent only if they may get it.
		secretaccess.PluginName,
		// Owners are set only by callers who may delete the object and, to block it, finalize the owner.
		ownerreferences.PluginName,
		// A Takaro domain is taken over only by who may.
		domainadoption.PluginName,
		// A Domain that is being deleted takes no new Users and MockServers.
		domainreference.PluginName,
		// Nothing lets a breaking change pass without an approval but who may bypass approvals. Its answers are not cached, so it
		// comes after the others of Roadstead.
		releaseevidence.PluginName,
		mutatingpolicy.PluginName,
		mutatingwebhook.PluginName,
		validatingpolicy.PluginName,
		validatingwebhook.PluginName,
		// Last: what another plugin refuses must not be counted.
		resourcequota.PluginName,
	}
}

// Register adds our plugins and the quota's; the others of the generic server are registered by its own options.
func Register(plugins *admission.Plugins) {
	resourcequota.Register(plugins)
	initializer.Register(plugins, secretaccess.PluginName, secretaccess.New)
	initializer.Register(plugins, ownerreferences.PluginName, ownerreferences.New)
	initializer.Register(plugins, domainadoption.PluginName, domainadoption.New)
	initializer.Register(plugins, domainreference.PluginName, domainreference.New)
	initializer.Register(plugins, releaseevidence.PluginName, releaseevidence.New)
}
