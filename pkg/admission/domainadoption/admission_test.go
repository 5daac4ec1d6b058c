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

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func domain(adopt, own bool) *takaro.Domain {
	d := &takaro.Domain{Spec: takaro.DomainSpec{Adopt: adopt}}
	if own {
		d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "mine", Key: "k"}
	}
	return d
}

func TestValidate(t *testing.T) {
	domains := takaro.Resource("domains")
	for name, tc := range map[string]struct {
		resource    schema.GroupResource
		subresource string
		obj, old    runtime.Object
		dryRun      bool
		user        string
		asked       bool
		err         string
	}{
		"no adoption":                 {resource: domains, obj: domain(false, false)},
		"own credentials":             {resource: domains, obj: domain(true, true)},
		"the installation's":          {resource: domains, obj: domain(true, false), asked: true, err: `ask for the RBAC verb "adopt" on domains.takaro.roadstead.dev`},
		"the installation's, dry run": {resource: domains, obj: domain(true, false), dryRun: true, asked: true, err: "spec.adopt"},
		"with the verb":               {resource: domains, obj: domain(true, false), user: "adopter", asked: true},
		"host does not answer":        {resource: domains, obj: domain(true, false), user: "broken", asked: true, err: "try again: host is down"},
		"turned on":                   {resource: domains, obj: domain(true, false), old: domain(false, false), asked: true, err: "spec.adopt"},
		"own credentials dropped":     {resource: domains, obj: domain(true, false), old: domain(true, true), asked: true, err: "spec.adopt"},
		"was so before":               {resource: domains, obj: domain(true, false), old: domain(true, false)},
		"turned off":                  {resource: domains, obj: domain(false, false), old: domain(true, false)},
		"subresource":                 {resource: domains, subresource: "status", obj: domain(true, false)},
		"not my kind":                 {resource: schema.GroupResource{Resource: "pods"}, obj: domain(true, false)},
		"not my type":                 {resource: domains, obj: &runtime.Unknown{}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			p := New()
			p.SetAuthorizer(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
				asked = true
				require.Equal(t, []string{"adopt", "takaro.roadstead.dev", "domains", "ns", "name"}, []string{a.GetVerb(), a.GetAPIGroup(), a.GetResource(), a.GetNamespace(), a.GetName()})
				switch a.GetUser().GetName() {
				case "adopter":
					return authorizer.DecisionAllow, "", nil
				case "broken":
					return authorizer.DecisionDeny, "", errors.New("host is down")
				}
				return authorizer.DecisionNoOpinion, "", nil
			}))
			require.NoError(t, p.ValidateInitialization())
			operation := admission.Create
			if tc.old != nil {
				operation = admission.Update
			}
			err := p.Validate(t.Context(), admission.NewAttributesRecord(tc.obj, tc.old, schema.GroupVersionKind{}, "ns", "name",
				tc.resource.WithVersion("v1alpha1"), tc.subresource, operation, nil, tc.dryRun, &user.DefaultInfo{Name: tc.user}), nil)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			require.Equal(t, tc.asked, asked)
		})
	}
}

func TestItNeitherHandlesDeletesNorRunsWithoutAuthorizer(t *testing.T) {
	p := New()
	require.False(t, p.Handles(admission.Delete), "a delete, of a collection too, adopts nothing")
	require.ErrorContains(t, p.ValidateInitialization(), PluginName)
	plugins := admission.NewPlugins()
	Register(plugins)
	require.Equal(t, []string{PluginName}, plugins.Registered())
}
