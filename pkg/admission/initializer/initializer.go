// SPDX-License-Identifier: Apache-2.0

// Package initializer hands our own dependencies to our admission plugins.
package initializer

import (
	"k8s.io/apiserver/pkg/admission"

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

// New returns an initializer that hands out client.
func New(client versioned.Interface) admission.PluginInitializer {
	return initializer{client: client}
}

// Initialize gives a plugin what it wants.
func (i initializer) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(WantsClient); ok {
		wants.SetClient(i.client)
	}
}
