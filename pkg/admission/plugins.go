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

// Order returns the plugins in the order in which they run. A new Roadstead plugin belongs before
// the policies and webhooks of the cluster, so that these review only what Roadstead's plugins
// allow.
func Order() []string {
	return []string{
		// 404 or 403 for a namespace that is absent or terminating.
		lifecycle.PluginName,
		// The content of a Secret is sent only for callers that may get the Secret.
		secretaccess.PluginName,
		// Owners are set only by callers that may delete the object and, with blockOwnerDeletion,
		// update the finalizers of the owner.
		ownerreferences.PluginName,
		// A domain in Takaro is adopted only for callers with the verb adopt.
		domainadoption.PluginName,
		// A Domain that is being deleted accepts no new Users and MockServers.
		domainreference.PluginName,
		// A breaking change without an approval requires the verb bypass. The plugin's authorizer
		// has no cache, so it runs after Roadstead's other plugins.
		releaseevidence.PluginName,
		mutatingpolicy.PluginName,
		mutatingwebhook.PluginName,
		validatingpolicy.PluginName,
		validatingwebhook.PluginName,
		// Last: what another plugin refuses must not be counted.
		resourcequota.PluginName,
	}
}

// Register adds Roadstead's plugins and ResourceQuota. The options of the generic server register
// its other plugins.
func Register(plugins *admission.Plugins) {
	resourcequota.Register(plugins)
	initializer.Register(plugins, secretaccess.PluginName, secretaccess.New)
	initializer.Register(plugins, ownerreferences.PluginName, ownerreferences.New)
	initializer.Register(plugins, domainadoption.PluginName, domainadoption.New)
	initializer.Register(plugins, domainreference.PluginName, domainreference.New)
	initializer.Register(plugins, releaseevidence.PluginName, releaseevidence.New)
}
