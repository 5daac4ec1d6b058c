// SPDX-License-Identifier: Apache-2.0

package domainadoption

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

const (
	adoptDomains = "adopt domains.takaro.roadstead.dev ns/name"
	adoptUsers   = "adopt users.takaro.roadstead.dev ns/name"
	getMine      = "get secrets ns/mine"
)

// request is one that is reviewed, by a caller with at most one right.
type request struct {
	resource    schema.GroupResource
	subresource string
	obj, old    runtime.Object
	dryRun      bool
	may         string
}

// review returns the outcome and the rights that were checked. With the right "down" the
// authorizer returns an error.
func review(t *testing.T, r request, domains ...*takaro.Domain) (asked []string, err error) {
	p := New()
	p.SetObjects(stored(domains))
	p.SetAuthorizer(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		resource := schema.GroupResource{Group: a.GetAPIGroup(), Resource: a.GetResource()}
		right := a.GetVerb() + " " + resource.String() + " " + a.GetNamespace() + "/" + a.GetName()
		asked = append(asked, right)
		require.True(t, a.IsResourceRequest())
		require.Equal(t, "ada", a.GetUser().GetName())
		switch r.may {
		case right:
			return authorizer.DecisionAllow, "", nil
		case "down":
			return authorizer.DecisionDeny, "", errors.New("the cluster is down")
		}
		return authorizer.DecisionNoOpinion, "", nil
	}))
	require.NoError(t, p.ValidateInitialization())
	operation := admission.Create
	if r.old != nil {
		operation = admission.Update
	}
	err = p.Validate(t.Context(), admission.NewAttributesRecord(r.obj, r.old, schema.GroupVersionKind{}, "ns", "name",
		r.resource.WithVersion("v1alpha1"), r.subresource, operation, nil, r.dryRun, &user.DefaultInfo{Name: "ada"}), nil)
	return asked, err
}

// domain returns a Domain that adopts and retains, with changes.
func domain(changes ...func(*takaro.Domain)) *takaro.Domain {
	d := &takaro.Domain{}
	d.Namespace, d.Name = "ns", "arena"
	d.Spec.Adopt, d.Spec.DeletionPolicy = true, takaro.DeletionPolicyRetain
	for _, change := range changes {
		change(d)
	}
	return d
}

func plain(d *takaro.Domain) { d.Spec.Adopt = false }

func policy(policy takaro.DeletionPolicy) func(*takaro.Domain) {
	return func(d *takaro.Domain) { d.Spec.DeletionPolicy = policy }
}

func with(secret string) func(*takaro.Domain) {
	return func(d *takaro.Domain) {
		d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: secret, Key: "k"}
	}
}

// recorded sets the ledger of an object whose spec no longer has adopt set.
func recorded(origin ownership.Origin) func(*takaro.Domain) {
	return func(d *takaro.Domain) {
		d.Spec.Adopt = false
		d.Status.Ownership = &ownership.Status{Records: []ownership.Record{{Kind: "Domain", ID: "1", State: ownership.Held, Origin: origin}}}
	}
}

func TestValidate(t *testing.T) {
	deleting := policy(takaro.DeletionPolicyDelete)
	adopted := recorded(ownership.Adopted)
	for name, c := range map[string]struct {
		obj, old *takaro.Domain
		may      string
		asked    []string
		err      string
	}{
		"no adoption": {obj: domain(plain, deleting)},
		"installation's": {obj: domain(),
			asked: []string{adoptDomains},
			err: "spec.adopt: set spec.credentialsSecretRef to a Secret with your own admin token, " +
				`or request the RBAC verb "adopt" on domains.takaro.roadstead.dev`},
		"verb":      {obj: domain(), may: adoptDomains, asked: []string{adoptDomains}},
		"own":       {obj: domain(with("mine")), may: getMine, asked: []string{adoptDomains, getMine}},
		"own, verb": {obj: domain(with("mine")), may: adoptDomains, asked: []string{adoptDomains}},
		"own of others": {obj: domain(with("mine")),
			asked: []string{adoptDomains, getMine},
			err:   `spec.adopt: request the RBAC verb "get" on Secret "mine", or request the RBAC verb "adopt" on domains`},
		"cluster down": {obj: domain(), may: "down",
			asked: []string{adoptDomains},
			err:   "spec.adopt: check whether you may adopt domains: the cluster is down; try again"},
		"turned on": {obj: domain(), old: domain(plain), asked: []string{adoptDomains}, err: "spec.adopt"},
		"turned on, own": {obj: domain(with("mine")), old: domain(plain, with("mine")),
			asked: []string{adoptDomains, getMine}, err: "spec.adopt"},
		"turned off":     {obj: domain(plain), old: domain()},
		"as before":      {obj: domain(), old: domain()},
		"as before, own": {obj: domain(with("mine")), old: domain(with("mine"))},
		"own dropped":    {obj: domain(), old: domain(with("mine")), asked: []string{adoptDomains}, err: "spec.adopt"},
		"own changed": {obj: domain(with("other")), old: domain(with("mine")),
			asked: []string{adoptDomains, "get secrets ns/other"}, err: "spec.adopt"},
		"ledger, dropped": {obj: domain(adopted), old: domain(adopted, with("mine")),
			asked: []string{adoptDomains}, err: "spec.adopt"},
		"created to delete": {obj: domain(deleting), may: adoptDomains, asked: []string{adoptDomains, adoptDomains}},

		"to Delete": {obj: domain(deleting), old: domain(), asked: []string{adoptDomains},
			err: `spec.deletionPolicy: the deletion would remove or disable objects that Roadstead did not create; ` +
				`set it to Retain, or request the RBAC verb "adopt" on domains`},
		"to Disable": {obj: domain(policy(takaro.DeletionPolicyDisable)), old: domain(),
			asked: []string{adoptDomains}, err: "spec.deletionPolicy"},
		"to Delete, verb": {obj: domain(deleting), old: domain(), may: adoptDomains, asked: []string{adoptDomains}},
		"to Delete, own": {obj: domain(deleting, with("mine")), old: domain(with("mine")), may: getMine,
			asked: []string{adoptDomains, getMine}},
		"to Delete, theirs": {obj: domain(deleting, with("mine")), old: domain(with("mine")),
			asked: []string{adoptDomains, getMine}, err: "spec.deletionPolicy"},
		"to Retain":         {obj: domain(), old: domain(deleting)},
		"Delete as before":  {obj: domain(deleting), old: domain(deleting)},
		"Delete to Disable": {obj: domain(policy(takaro.DeletionPolicyDisable)), old: domain(deleting)},
		"ledger": {obj: domain(adopted, deleting), old: domain(adopted),
			asked: []string{adoptDomains}, err: "spec.deletionPolicy"},
		"ledger of created": {obj: domain(recorded(ownership.Created), deleting), old: domain(recorded(ownership.Created))},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dry := range []bool{false, true} {
				r := request{resource: takaro.Resource("domains"), obj: c.obj, may: c.may, dryRun: dry}
				if c.old != nil {
					r.old = c.old
				}
				asked, err := review(t, r)
				require.Equal(t, c.asked, asked)
				requireError(t, c.err, err)
				r.subresource = "status"
				asked, err = review(t, r)
				require.NoError(t, err, "the status asks for nothing")
				require.Empty(t, asked)
			}
		})
	}
}

// requireError compares an error with a part of its text, empty for none.
func requireError(t *testing.T, want string, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, want)
}

func TestValidate_OtherObjects(t *testing.T) {
	for name, r := range map[string]request{
		"other group": {resource: schema.GroupResource{Resource: "pods"}, obj: domain()},
		"other type":  {resource: takaro.Resource("domains"), obj: &runtime.Unknown{}},
	} {
		asked, err := review(t, r)
		require.NoError(t, err, name)
		require.Empty(t, asked, name)
	}
}

func TestPluginNeedsAuthorizerAndObjects(t *testing.T) {
	p := New()
	require.False(t, p.Handles(admission.Delete), "a delete, also of a collection, adopts nothing")
	require.ErrorContains(t, p.ValidateInitialization(), PluginName)
	p.SetAuthorizer(authorizer.AuthorizerFunc(nil))
	require.ErrorContains(t, p.ValidateInitialization(), PluginName)
	plugins := admission.NewPlugins()
	initializer.Register(plugins, PluginName, New)
	require.Equal(t, []string{PluginName}, plugins.Registered())
}
