// SPDX-License-Identifier: Apache-2.0

// Package initializer hands to admission plugins what the generic server does not.
package initializer

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/quota/v1/generic"
)

// Objects reads other objects of this server.
type Objects interface {
	// Get gives an object in its internal version, as it is stored at the time of the call, or the API error of a get.
	Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error)
}

// WantsObjects is implemented by plugins that look at other objects of ours.
type WantsObjects interface {
	// SetObjects takes what reads them.
	SetObjects(Objects)
}

type initializer struct {
	objects Objects
}

// New returns an initializer that hands out objects, and the configuration of ResourceQuota. It must run after that of the
// generic server, whose drain notification the quota wants first.
func New(objects Objects) admission.PluginInitializer {
	return initializer{objects: objects}
}

// Initialize gives a plugin what it wants.
func (i initializer) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(WantsObjects); ok {
		wants.SetObjects(i.objects)
	}
	// No evaluators: of every resource that is served here the quota counts the objects, and nothing else.
	if wants, ok := plugin.(genericinitializer.WantsQuotaConfiguration); ok {
		wants.SetQuotaConfiguration(generic.NewConfiguration(nil, nil))
	}
}
