// SPDX-License-Identifier: Apache-2.0

// Package domainadoption refuses a Domain that takes over an existing Takaro domain with the installation's own
// credentials, unless its author has the RBAC verb adopt on domains: the installation's admin token reaches the domains
// of all tenants.
package domainadoption

import (
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "DomainAdoption"

// Verb is what RBAC must grant on domains.
const Verb = "adopt"

// Register adds the plugin.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return New(), nil
	})
}

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	authorizer authorizer.Authorizer
}

var (
	_ admission.ValidationInterface = &Plugin{}
	_ initializer.WantsAuthorizer   = &Plugin{}
)

// New returns the plugin without its authorizer.
func New() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update)}
}

// SetAuthorizer takes the server's authorizer.
func (p *Plugin) SetAuthorizer(a authorizer.Authorizer) { p.authorizer = a }

// ValidateInitialization fails when the authorizer is missing.
func (p *Plugin) ValidateInitialization() error {
	if p.authorizer == nil {
		return errors.New(PluginName + " needs an authorizer")
	}
	return nil
}

// Validate asks for the verb when a request makes a Domain adopt with the installation's credentials.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetResource().GroupResource() != takaro.Resource("domains") || a.GetSubresource() != "" {
		return nil
	}
	if !borrows(a.GetObject()) || borrows(a.GetOldObject()) {
		return nil
	}
	decision, _, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User:            a.GetUserInfo(),
		Verb:            Verb,
		APIGroup:        a.GetResource().Group,
		APIVersion:      a.GetResource().Version,
		Resource:        a.GetResource().Resource,
		Namespace:       a.GetNamespace(),
		Name:            a.GetName(),
		ResourceRequest: true,
	})
	if err != nil {
		return admission.NewForbidden(a, fmt.Errorf("spec.adopt: could not find out whether you may adopt domains, try again: %w", err))
	}
	if decision != authorizer.DecisionAllow {
		return admission.NewForbidden(a, fmt.Errorf("spec.adopt: name spec.credentialsSecretRef with an admin token of your own, or ask for the RBAC verb %q on domains.%s", Verb, takaro.GroupName))
	}
	return nil
}

// borrows tells whether a Domain adopts with credentials that are not its author's.
func borrows(obj any) bool {
	domain, ok := obj.(*takaro.Domain)
	return ok && domain.Spec.Adopt && domain.Spec.CredentialsSecretRef == nil
}
