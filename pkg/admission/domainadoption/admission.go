// SPDX-License-Identifier: Apache-2.0

// Package domainadoption reviews requests by which an object reaches what it did not create in
// Takaro: a Domain or a User that adopts, one that would delete what it adopted, and a MockServer
// that puts game servers into a domain without a Domain. The installation's admin token reaches the
// domains of all tenants, so the author needs the RBAC verb adopt on domains or users. With other
// credentials it is enough to be allowed to get their Secret: its reader can do the same without
// Roadstead.
package domainadoption

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "DomainAdoption"

// Verb is the verb that RBAC must grant.
const Verb = "adopt"

// The resources on which the verb is granted. An object that reaches a domain needs the verb on
// domains, whatever its kind.
const (
	domains = "domains"
	users   = "users"
)

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	initializer.Reviewing
}

var (
	_ admission.ValidationInterface      = &Plugin{}
	_ genericinitializer.WantsAuthorizer = &Plugin{}
	_ initializer.WantsObjects           = &Plugin{}
)

// New returns the plugin without its authorizer and its reader of Domains.
func New() *Plugin {
	return &Plugin{admission.NewHandler(admission.Create, admission.Update), initializer.NewReviewing(PluginName)}
}

// Validate reviews the rights that the object needs after the request and did not need before.
// Rights that it needed before were reviewed by an earlier request, so that the object of an author
// with more rights stays writable for others.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetResource().Group != takaro.GroupName || a.GetSubresource() != "" {
		return nil
	}
	wanted, err := p.needs(ctx, a.GetNamespace(), a.GetObject())
	if err != nil || len(wanted) == 0 {
		return err
	}
	before, err := p.needs(ctx, a.GetNamespace(), a.GetOldObject())
	if err != nil {
		return err
	}
	for _, each := range wanted {
		if slices.Contains(before, each) {
			continue
		}
		if err := p.review(ctx, a, each); err != nil {
			return err
		}
	}
	return nil
}

// review returns an error unless the caller has the verb, or may get the Secret that is used.
func (p *Plugin) review(ctx context.Context, a admission.Attributes, of need) error {
	rights := []authorizer.AttributesRecord{
		{Verb: Verb, APIGroup: takaro.GroupName, APIVersion: a.GetResource().Version, Resource: of.resource, Name: a.GetName()},
	}
	if of.secret != "" {
		rights = append(rights, authorizer.AttributesRecord{Verb: "get", APIVersion: "v1", Resource: "secrets", Name: of.secret})
	}
	for _, right := range rights {
		right.User, right.Namespace, right.ResourceRequest = a.GetUserInfo(), a.GetNamespace(), true
		decision, _, err := p.Authorizer.Authorize(ctx, right)
		if err != nil {
			return admission.NewForbidden(a, fmt.Errorf("%s: check whether you may adopt %s: %w; try again", of.field, of.resource, err))
		}
		if decision == authorizer.DecisionAllow {
			return nil
		}
	}
	remedy := of.remedy
	if of.secret != "" {
		remedy = fmt.Sprintf("request the RBAC verb \"get\" on Secret %q", of.secret)
	}
	return admission.NewForbidden(a, fmt.Errorf("%s: %s%s, or request the RBAC verb %q on %s.%s",
		of.field, of.effect, remedy, Verb, of.resource, takaro.GroupName))
}
