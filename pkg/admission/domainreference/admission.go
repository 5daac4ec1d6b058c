// SPDX-License-Identifier: Apache-2.0

// Package domainreference looks at the Domain that a new object refers to. A missing one is only warned of, so that the
// order of an apply does not matter. One that is being deleted refuses new objects: its controller removes those that it
// knows, and a tool that makes them again would keep it busy for ever.
package domainreference

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/warning"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "DomainReference"

// domainOf returns, for each kind that refers to a Domain, the name of that Domain; "" for none.
var domainOf = map[schema.GroupResource]func(runtime.Object) string{
	takaro.Resource("mockservers"): func(object runtime.Object) string {
		if server, ok := object.(*takaro.MockServer); ok && server.Spec.DomainRef != nil {
			return server.Spec.DomainRef.Name
		}
		return ""
	},
	takaro.Resource("users"): func(object runtime.Object) string {
		if user, ok := object.(*takaro.User); ok {
			return user.Spec.DomainRef.Name
		}
		return ""
	},
}

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	initializer.Reading
}

var (
	_ admission.ValidationInterface = &Plugin{}
	_ initializer.WantsObjects      = &Plugin{}
)

// New returns the plugin without what it reads by. The reference is immutable, so only creates are looked at.
func New() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create)}
}

// ValidateInitialization fails when that is missing.
func (p *Plugin) ValidateInitialization() error {
	if p.Objects == nil {
		return errors.New(PluginName + " needs a reader of objects")
	}
	return nil
}

// Validate warns of a missing Domain and refuses a terminating one.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	name := domainOf[a.GetResource().GroupResource()]
	if name == nil || a.GetSubresource() != "" {
		return nil
	}
	wanted := name(a.GetObject())
	if wanted == "" {
		return nil
	}
	going, err := p.beingDeleted(ctx, a.GetNamespace(), wanted)
	switch {
	case apierrors.IsNotFound(err):
		warning.AddWarning(ctx, "", fmt.Sprintf("spec.domainRef: Domain %q is not in namespace %q yet; the object waits for it",
			wanted, a.GetNamespace()))
		return nil
	case err != nil:
		return apierrors.NewServiceUnavailable(fmt.Sprintf("spec.domainRef: Domain %q could not be read, try again", wanted))
	case going:
		return admission.NewForbidden(a, fmt.Errorf(
			"spec.domainRef: Domain %q is being deleted: wait until it is gone (kubectl wait --for=delete domain.%s/%s -n %s) and try "+
				"again, or name another Domain",
			wanted, takaro.GroupName, wanted, a.GetNamespace()))
	}
	return nil
}

// beingDeleted tells whether a Domain is.
func (p *Plugin) beingDeleted(ctx context.Context, namespace, name string) (bool, error) {
	found, err := p.Objects.Get(ctx, takaro.Resource("domains"), namespace, name)
	if err != nil {
		return false, err
	}
	domain, err := meta.Accessor(found)
	if err != nil {
		return false, err
	}
	return domain.GetDeletionTimestamp() != nil, nil
}
