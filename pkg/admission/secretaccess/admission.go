// SPDX-License-Identifier: Apache-2.0

// Package secretaccess reviews pairs of a Secret and where its content is sent. Controllers read
// Secrets of every namespace, so an author that may not get a Secret must not be able to have its
// content sent to an address of their choice (a confused deputy). A pair is reviewed when an object
// adds it, and again when either side of it changes: the caller must be allowed to get the Secret.
//
// The other side can be in another object: Roadstead sends the password of a User to the Takaro of
// its Domain. See reviewUsers.
package secretaccess

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	genericinitializer "k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "SecretReferenceAccess"

// reference is a key of a Secret that an object uses, and where its content goes. References are
// equal if all fields are.
type reference struct {
	field string
	// namespace is empty for the namespace of the object, key for the entire Secret.
	namespace, name, key string
	// to is the address that the content is sent to, empty if it is sent nowhere.
	to string
	// with is everything else that determines which system receives the content, or which users can
	// read it there.
	with []any
}

// references returns, for each kind, the Secrets that an object uses.
var references = map[schema.GroupResource]func(runtime.Object) []reference{
	release.Resource("operators"):  operatorReferences,
	takaro.Resource("domains"):     domainReferences,
	takaro.Resource("mockservers"): mockServerReferences,
	takaro.Resource("users"):       userReferences,
}

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

// New returns the plugin without its authorizer and its reader of objects.
func New() *Plugin {
	return &Plugin{admission.NewHandler(admission.Create, admission.Update), initializer.NewReviewing(PluginName)}
}

// Validate reviews every pair that the request adds. A pair that the object had before was reviewed
// when it was added, so that the object of an author with more rights stays writable for others.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	list := references[a.GetResource().GroupResource()]
	if list == nil || a.GetSubresource() != "" {
		return nil
	}
	var before []reference
	if old := a.GetOldObject(); old != nil {
		before = list(old)
	}
	reviewed := map[types.NamespacedName]bool{}
	for _, ref := range list(a.GetObject()) {
		secret := types.NamespacedName{Namespace: cmp.Or(ref.namespace, a.GetNamespace()), Name: ref.name}
		known := func(old reference) bool { return reflect.DeepEqual(old, ref) }
		if reviewed[secret] || slices.ContainsFunc(before, known) {
			continue
		}
		allowed, err := p.allowed(ctx, a, secrets(secret.Namespace, secret.Name))
		if err != nil {
			return undecided(a, ref.field, err)
		}
		if !allowed {
			return refused(a, ref, secret)
		}
		reviewed[secret] = true
	}
	return p.reviewUsers(ctx, a)
}

// secrets is the right to get one Secret, or every Secret of a namespace if name is empty.
func secrets(namespace, name string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{Verb: "get", APIVersion: "v1", Resource: "secrets", Namespace: namespace, Name: name}
}

// allowed reports whether the caller has a right.
func (p *Plugin) allowed(ctx context.Context, a admission.Attributes, right authorizer.AttributesRecord) (bool, error) {
	right.User, right.ResourceRequest = a.GetUserInfo(), true
	decision, _, err := p.Authorizer.Authorize(ctx, right)
	return decision == authorizer.DecisionAllow, err
}

func undecided(a admission.Attributes, field string, err error) error {
	return admission.NewForbidden(a, fmt.Errorf("%s: cannot check whether you may get the Secret; try again: %w", field, err))
}

func refused(a admission.Attributes, ref reference, secret types.NamespacedName) error {
	effect := "use"
	if ref.to != "" {
		effect = "send to " + ref.to
	}
	return admission.NewForbidden(a, fmt.Errorf(
		"%s: you may not get Secret %q in namespace %q, which Roadstead would %s; request the RBAC verb get on it",
		ref.field, secret.Name, secret.Namespace, effect))
}
