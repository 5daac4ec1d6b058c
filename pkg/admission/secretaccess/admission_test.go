// SPDX-License-Identifier: Apache-2.0

package secretaccess

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
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// stored are the Users that are stored; nil stands for a store that is unavailable.
type stored []*takaro.User

func (stored) Get(context.Context, schema.GroupResource, string, string) (runtime.Object, error) {
	return nil, errors.New("no get is needed")
}

func (s stored) List(_ context.Context, resource schema.GroupResource, namespace string, keep func(runtime.Object) bool) ([]runtime.Object,
	error) {
	if s == nil {
		return nil, errors.New("etcd is down")
	}
	var kept []runtime.Object
	for _, user := range s {
		if resource == takaro.Resource("users") && user.Namespace == namespace && keep(user) {
			kept = append(kept, user)
		}
	}
	return kept, nil
}

// plugin returns a plugin in a store without Users.
func plugin(a authorizer.Authorizer) *Plugin {
	p := New()
	p.SetAuthorizer(a)
	p.SetObjects(stored{})
	return p
}

// asking records each checked right and allows the Secrets of a list.
func asking(asked *[]string, allowed ...string) authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		*asked = append(*asked, a.GetUser().GetName()+" "+a.GetVerb()+" "+a.GetResource()+" "+a.GetNamespace()+"/"+a.GetName())
		if a.GetName() == "broken" {
			return authorizer.DecisionNoOpinion, "", errors.New("host is down")
		}
		for _, name := range allowed {
			if a.GetName() == name {
				return authorizer.DecisionAllow, "", nil
			}
		}
		return authorizer.DecisionNoOpinion, "", nil
	})
}

func domain(credentials, ca string) *takaro.Domain {
	d := &takaro.Domain{}
	if credentials != "" {
		d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: credentials, Key: "k"}
	}
	if ca != "" {
		d.Spec.CABundleSecretRef = &takaro.SecretKeyReference{Name: ca, Key: "k"}
	}
	return d
}

func TestValidate(t *testing.T) {
	domains := takaro.Resource("domains")
	otherKey := domain("yes", "")
	otherKey.Spec.CredentialsSecretRef.Key = "other"
	for name, tc := range map[string]struct {
		resource    schema.GroupResource
		subresource string
		obj, old    runtime.Object
		dryRun      bool
		asked       int
		err         string
	}{
		"no reference":            {resource: domains, obj: domain("", "")},
		"allowed":                 {resource: domains, obj: domain("yes", ""), asked: 1},
		"both, one question each": {resource: domains, obj: domain("yes", "too"), asked: 2},
		"the same twice":          {resource: domains, obj: domain("yes", "yes"), asked: 1},
		"refused": {resource: domains, obj: domain("no", ""), asked: 1,
			err: `spec.credentialsSecretRef: you may not get Secret "no" in namespace "ns"`},
		"refused CA":             {resource: domains, obj: domain("yes", "no"), asked: 2, err: "spec.caBundleSecretRef: you may not get"},
		"refused on dry run too": {resource: domains, obj: domain("no", ""), dryRun: true, asked: 1, err: "spec.credentialsSecretRef"},
		"host does not answer":   {resource: domains, obj: domain("broken", ""), asked: 1, err: "try again: host is down"},
		"unchanged":              {resource: domains, obj: domain("no", "no"), old: domain("no", "no")},
		"changed":                {resource: domains, obj: domain("no", ""), old: domain("yes", ""), asked: 1, err: "spec.credentialsSecretRef"},
		"another key":            {resource: domains, obj: otherKey, old: domain("yes", ""), asked: 1},
		"moved to another field": {resource: domains, obj: domain("no", ""), old: domain("", "no"), asked: 1, err: "spec.credentialsSecretRef"},
		"taken away":             {resource: domains, obj: domain("", ""), old: domain("no", "")},
		"subresource":            {resource: domains, subresource: "status", obj: domain("no", "")},
		"not my kind":            {resource: schema.GroupResource{Resource: "pods"}, obj: domain("no", "")},
		"not my type":            {resource: domains, obj: &runtime.Unknown{}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			p := plugin(asking(&asked, "yes", "too"))
			require.NoError(t, p.ValidateInitialization())
			operation := admission.Create
			if tc.old != nil {
				operation = admission.Update
			}
			err := p.Validate(t.Context(), admission.NewAttributesRecord(tc.obj, tc.old, schema.GroupVersionKind{}, "ns", "name",
				tc.resource.WithVersion("v1alpha1"), tc.subresource, operation, nil, tc.dryRun, &user.DefaultInfo{Name: "alice"}), nil)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			require.Len(t, asked, tc.asked)
			for _, question := range asked {
				require.Contains(t, question, "alice get secrets ns/")
			}
		})
	}
}

func TestPlugin_DeletesAndMissingAuthorizer(t *testing.T) {
	p := New()
	require.False(t, p.Handles(admission.Delete), "a delete, of a collection too, names no Secret")
	require.ErrorContains(t, p.ValidateInitialization(), PluginName)
	p.SetAuthorizer(asking(new([]string)))
	require.ErrorContains(t, p.ValidateInitialization(), PluginName, "a reader of objects is missing")
	plugins := admission.NewPlugins()
	initializer.Register(plugins, PluginName, New)
	require.Equal(t, []string{PluginName}, plugins.Registered())
}
