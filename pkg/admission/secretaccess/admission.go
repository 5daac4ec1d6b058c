// SPDX-License-Identifier: Apache-2.0

// Package secretaccess refuses an object that names a Secret which its author may not get. The controller, which may,
// would else send the Secret's content to an address of the author's choice (a confused deputy).
package secretaccess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// PluginName is the plugin's name in flags.
const PluginName = "SecretReferenceAccess"

// Register adds the plugin.
func Register(plugins *admission.Plugins) {
	plugins.Register(PluginName, func(io.Reader) (admission.Interface, error) {
		return New(), nil
	})
}

// reference is one key of a Secret named by an object: in the namespace that is named, else in the object's. Without a key it
// is the whole Secret.
type reference struct {
	field, namespace, name, key string
}

// references lists, for each kind, the Secrets that it names.
var references = map[schema.GroupResource]func(runtime.Object) []reference{
	release.Resource("operators"):  operatorReferences,
	takaro.Resource("domains"):     domainReferences,
	takaro.Resource("mockservers"): mockServerReferences,
	takaro.Resource("users"):       userReferences,
}

func domainReferences(obj runtime.Object) []reference {
	domain, ok := obj.(*takaro.Domain)
	if !ok {
		return nil
	}
	var found []reference
	if ref := domain.Spec.CredentialsSecretRef; ref != nil {
		found = append(found, reference{field: "spec.credentialsSecretRef", name: ref.Name, key: ref.Key})
	}
	if ref := domain.Spec.CABundleSecretRef; ref != nil {
		found = append(found, reference{field: "spec.caBundleSecretRef", name: ref.Name, key: ref.Key})
	}
	return found
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

// Validate asks for each Secret that the request newly names whether its user may get it. A reference that was there before
// was asked for when it came; another key of the same Secret, or the same Secret in another field, is a new one.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	list := references[a.GetResource().GroupResource()]
	if list == nil || a.GetSubresource() != "" {
		return nil
	}
	var before []reference
	if old := a.GetOldObject(); old != nil {
		before = list(old)
	}
	asked := map[types.NamespacedName]bool{}
	for _, ref := range list(a.GetObject()) {
		secret := types.NamespacedName{Namespace: cmp.Or(ref.namespace, a.GetNamespace()), Name: ref.name}
		if asked[secret] || slices.Contains(before, ref) {
			continue
		}
		if err := p.mayGet(ctx, a, ref.field, secret); err != nil {
			return err
		}
		asked[secret] = true
	}
	return nil
}

func (p *Plugin) mayGet(ctx context.Context, a admission.Attributes, field string, secret types.NamespacedName) error {
	decision, _, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User:            a.GetUserInfo(),
		Verb:            "get",
		APIVersion:      "v1",
		Resource:        "secrets",
		Namespace:       secret.Namespace,
		Name:            secret.Name,
		ResourceRequest: true,
	})
	if err != nil {
		return admission.NewForbidden(a, fmt.Errorf("%s: could not find out whether you may get Secret %q, try again: %w", field, secret.Name, err))
	}
	if decision != authorizer.DecisionAllow {
		return admission.NewForbidden(a, fmt.Errorf("%s: you may not get Secret %q in namespace %q, so you may not have it used either; ask for the RBAC verb get on it", field, secret.Name, secret.Namespace))
	}
	return nil
}
