// SPDX-License-Identifier: Apache-2.0

// Package domainadoption refuses a Domain that takes over an existing Takaro domain, and a MockServer that puts game servers
// into one that no Domain stands for, with the installation's own credentials, unless its author has the RBAC verb adopt on domains: the installation's admin token reaches the domains
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

// domains is the resource on which it must, whatever kind asks.
const domains = "domains"

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

// Validate asks for the verb when a request makes an object reach a foreign domain with the installation's credentials.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetResource().Group != takaro.GroupName || a.GetSubresource() != "" {
		return nil
	}
	field := borrows(a.GetObject())
	if field == "" || borrows(a.GetOldObject()) != "" {
		return nil
	}
	decision, _, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User:            a.GetUserInfo(),
		Verb:            Verb,
		APIGroup:        a.GetResource().Group,
		APIVersion:      a.GetResource().Version,
		Resource:        domains,
		Namespace:       a.GetNamespace(),
		Name:            a.GetName(),
		ResourceRequest: true,
	})
	if err != nil {
		return admission.NewForbidden(a, fmt.Errorf("%s: could not find out whether you may adopt domains, try again: %w", field, err))
	}
	if decision != authorizer.DecisionAllow {
		return admission.NewForbidden(a, fmt.Errorf("%s: name spec.credentialsSecretRef with an admin token of your own, or ask for the RBAC verb %q on domains.%s", field, Verb, takaro.GroupName))
	}
	return nil
}

// borrows returns the field by which an object reaches a foreign domain with credentials that are not its author's, "" when
// it does not.
func borrows(obj any) string {
	switch object := obj.(type) {
	case *takaro.Domain:
		if object.Spec.Adopt && object.Spec.CredentialsSecretRef == nil {
			return "spec.adopt"
		}
	case *takaro.MockServer:
		if object.Spec.ExternalReferenceID != "" && object.Spec.CredentialsSecretRef == nil {
			return "spec.externalReferenceId"
		}
	}
	return ""
}
