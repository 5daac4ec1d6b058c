// SPDX-License-Identifier: Apache-2.0

// Package initializer provides admission plugins with what the generic server does not have.
package initializer

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/quota/v1/generic"
)

// Objects reads other objects of this server.
type Objects interface {
	// Get returns an object in its internal version, as it is stored at the time of the call, or
	// the API error of a get.
	Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error)
	// List returns the objects of a namespace for which keep returns true, in their internal
	// version and as they are stored at the time of the call.
	List(ctx context.Context, resource schema.GroupResource, namespace string, keep func(runtime.Object) bool) ([]runtime.Object, error)
}

// WantsObjects is implemented by plugins that read other objects of this server.
type WantsObjects interface {
	// SetObjects sets the reader.
	SetObjects(Objects)
}

// Kinds finds the resources of kinds.
type Kinds interface {
	// RESTMappings returns the resources of a kind, or an error for which meta.IsNoMatchError
	// returns true.
	RESTMappings(kind schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error)
}

// WantsServedKinds is implemented by plugins that look up kinds which this server serves.
type WantsServedKinds interface {
	// SetServedKinds sets the kinds.
	SetServedKinds(Kinds)
}

// Stored is what this server stores and serves.
type Stored interface {
	Objects
	Kinds
}

// WantsUncachedAuthorizer is implemented by plugins whose decisions must not rest on remembered answers.
type WantsUncachedAuthorizer interface {
	// SetUncachedAuthorizer takes an authorizer without an answer cache.
	SetUncachedAuthorizer(authorizer.Authorizer)
}

// WantsControllerUser is implemented by plugins that distinguish Roadstead's controller from other users.
type WantsControllerUser interface {
	// SetControllerUser takes the name of the controller's user.
	SetControllerUser(string)
}

// Config is what plugins receive.
type Config struct {
	Stored         Stored
	Uncached       authorizer.Authorizer
	ControllerUser string
}

type initializer struct{ Config }

// New returns an initializer that provides what is in a Config, and the configuration of ResourceQuota.
// It must run after the one of the generic server, whose drain notification the quota needs first.
func New(config Config) admission.PluginInitializer {
	return initializer{config}
}

// Initialize provides a plugin with what it wants.
func (i initializer) Initialize(plugin admission.Interface) {
	if wants, ok := plugin.(WantsObjects); ok {
		wants.SetObjects(i.Stored)
	}
	if wants, ok := plugin.(WantsUncachedAuthorizer); ok {
		wants.SetUncachedAuthorizer(i.Uncached)
	}
	if wants, ok := plugin.(WantsControllerUser); ok {
		wants.SetControllerUser(i.ControllerUser)
	}
	if wants, ok := plugin.(WantsServedKinds); ok {
		wants.SetServedKinds(i.Stored)
	}
	// No evaluators: of every resource that is served here the quota counts the objects, and
	// nothing else.
	if wants, ok := plugin.(genericinitializer.WantsQuotaConfiguration); ok {
		wants.SetQuotaConfiguration(generic.NewConfiguration(nil, nil))
	}
}
