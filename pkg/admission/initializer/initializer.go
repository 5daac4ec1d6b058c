// SPDX-License-Identifier: Apache-2.0

// Package initializer hands to admission plugins what the generic server does not.
package initializer

import (
	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/quota/v1/generic"

	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
)

// WantsClient is implemented by plugins that look at other objects of ours.
type WantsClient interface {
	// SetClient takes a client of this very server.
	SetClient(versioned.Interface)
}

type initializer struct {
	client versioned.Interface
}

// New returns an initializer that hands out client, and the configuration of ResourceQuota. It must run after that of the
// generic server, whose drain notification the quota wants first.
func New(client versioned.Interface) admission.PluginInitializer {
	return initializer{client: client}
}

// Initialize gives a plugin what it wants.
func (i initializer) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(WantsClient); ok {
		wants.SetClient(i.client)
	}
	// No evaluators: of every resource that is served here the quota counts the objects, and nothing else.
	if wants, ok := plugin.(genericinitializer.WantsQuotaConfiguration); ok {
		wants.SetQuotaConfiguration(generic.NewConfiguration(nil, nil))
	}
}
