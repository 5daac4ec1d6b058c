// SPDX-License-Identifier: Apache-2.0

package ownerreferences

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// mapper knows kinds of a version.
func mapper(version schema.GroupVersion, scope meta.RESTScope, kinds ...string) meta.RESTMapper {
	known := meta.NewDefaultRESTMapper(nil)
	for _, kind := range kinds {
		known.Add(version.WithKind(kind), scope)
	}
	return known
}

// broken is the discovery of a cluster that does not answer.
type broken struct{ meta.RESTMapper }

func (broken) RESTMappings(schema.GroupKind, ...string) ([]*meta.RESTMapping, error) {
	return nil, errors.New("discovery failed")
}

func owner(apiVersion, kind, name string, block *bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(name), BlockOwnerDeletion: block}
}

func owned(owners ...metav1.OwnerReference) *takaro.User {
	return &takaro.User{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "ann", OwnerReferences: owners}}
}

func TestValidate(t *testing.T) {
	yes, no := ptr.To(true), ptr.To(false)
	const takaroVersion = "takaro.roadstead.dev/v1alpha1"
	const all, deleteIt, finalizeDomain = "update */finalizers /*", "delete users ns/ann", "update domains/finalizers ns/arena"
	arena := owner(takaroVersion, "Domain", "arena", nil)
	blocking := owner(takaroVersion, "Domain", "arena", yes)
	node := owner("v1", "Node", "one", yes)
	for name, c := range map[string]struct {
		now, old    runtime.Object
		subresource string
		allowed     []string
		asked       []string
		err         string
	}{
		"create without owners": {now: owned()},
		"create with an owner":  {now: owned(arena)},
		"create, not blocking":  {now: owned(owner(takaroVersion, "Domain", "arena", no))},
		"create, blocking, refused": {now: owned(blocking), asked: []string{all, finalizeDomain},
			err: `metadata.ownerReferences: blockOwnerDeletion can delay the deletion of Domain "arena"; request the RBAC verb update on ` +
				`domains/finalizers.takaro.roadstead.dev`},
		"create, blocking":             {now: owned(blocking), allowed: []string{finalizeDomain}, asked: []string{all, finalizeDomain}},
		"create, blocking, all rights": {now: owned(blocking), allowed: []string{all}, asked: []string{all}},
		"create, blocks a cluster kind": {now: owned(node), asked: []string{all, "update nodes/finalizers /one"},
			err: `Node "one"; request the RBAC verb update on nodes/finalizers,`},
		"create, blocks two owners": {now: owned(blocking, node), allowed: []string{finalizeDomain},
			asked: []string{all, finalizeDomain, "update nodes/finalizers /one"}, err: `Node "one"`},
		"create, unknown kind": {now: owned(owner("x.example/v1", "Thing", "t", yes)), asked: []string{all},
			err: `Thing "t", but its resource cannot be determined: no matches for kind "Thing" in version "x.example/v1"`},
		"create, unknown version": {now: owned(owner("takaro.roadstead.dev/v9", "Domain", "arena", yes)), asked: []string{all},
			err: `no matches for kind "Domain"`},
		"create, broken version": {now: owned(owner("a/b/c", "Domain", "arena", yes)), asked: []string{all},
			err: "unexpected GroupVersion string"},
		"update without a change": {now: owned(blocking), old: owned(blocking)},
		"update of something else": {now: &takaro.User{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{}}},
			old: owned()},
		"update adds an owner, refused": {now: owned(arena), old: owned(), asked: []string{deleteIt},
			err: "metadata.ownerReferences: a change of the owners can delete this object; " +
				"request the RBAC verb delete on users.takaro.roadstead.dev"},
		"update adds an owner":  {now: owned(arena), old: owned(), allowed: []string{deleteIt}, asked: []string{deleteIt}},
		"update drops an owner": {now: owned(), old: owned(arena), asked: []string{deleteIt}, err: "delete this object"},
		"update swaps owners": {now: owned(node, arena), old: owned(arena, node), asked: []string{deleteIt},
			err: "delete this object"},
		"update begins to block": {now: owned(blocking), old: owned(arena), allowed: []string{deleteIt},
			asked: []string{deleteIt, all, finalizeDomain}, err: "blockOwnerDeletion"},
		"update ends to block": {now: owned(arena), old: owned(blocking), allowed: []string{deleteIt}, asked: []string{deleteIt}},
		"update goes on to block": {now: owned(blocking, owner("v1", "Node", "two", nil)), old: owned(blocking),
			allowed: []string{deleteIt}, asked: []string{deleteIt}},
		"subresource": {now: owned(arena), old: owned(), subresource: "status",
			asked: []string{"delete users/status ns/ann"}, err: "verb delete on users/status.takaro.roadstead.dev"},
		"no metadata": {now: &takaro.UserCredentials{}},
		"the cluster does not answer": {now: owned(owner("v1", "Node", "broken", yes)),
			asked: []string{all, "update nodes/finalizers /broken"}, err: "your permissions cannot be checked; try again: host is down"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			p := New()
			p.SetAuthorizer(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string,
				error) {
				require.Equal(t, "alice", a.GetUser().GetName())
				resource := a.GetResource()
				if a.GetSubresource() != "" {
					resource += "/" + a.GetSubresource()
				}
				question := a.GetVerb() + " " + resource + " " + a.GetNamespace() + "/" + a.GetName()
				asked = append(asked, question)
				if a.GetName() == "broken" {
					return authorizer.DecisionNoOpinion, "", errors.New("host is down")
				}
				if slices.Contains(c.allowed, question) {
					return authorizer.DecisionAllow, "", nil
				}
				return authorizer.DecisionNoOpinion, "", nil
			}))
			p.SetServedKinds(mapper(schema.GroupVersion{Group: takaro.GroupName, Version: "v1alpha1"}, meta.RESTScopeNamespace, "Domain"))
			p.SetRESTMapper(mapper(schema.GroupVersion{Version: "v1"}, meta.RESTScopeRoot, "Node"))
			require.NoError(t, p.ValidateInitialization())
			operation := admission.Create
			if c.old != nil {
				operation = admission.Update
			}
			err := p.Validate(t.Context(), admission.NewAttributesRecord(c.now, c.old, schema.GroupVersionKind{}, "ns", "ann",
				takaro.Resource("users").WithVersion("v1alpha1"), c.subresource, operation, nil, false, &user.DefaultInfo{Name: "alice"}), nil)
			require.Equal(t, c.asked, asked)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}

func TestValidate_DiscoveryFails(t *testing.T) {
	p := New()
	p.SetAuthorizer(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if a.GetResource() == "*" {
			return authorizer.DecisionNoOpinion, "", nil
		}
		return authorizer.DecisionAllow, "", nil
	}))
	p.SetRESTMapper(broken{})
	p.SetServedKinds(mapper(schema.GroupVersion{Group: takaro.GroupName, Version: "v1alpha1"}, meta.RESTScopeNamespace, "Domain"))
	create := func(apiVersion, kind string) error {
		object := owned(owner(apiVersion, kind, "x", ptr.To(true)))
		return p.Validate(t.Context(), admission.NewAttributesRecord(object, nil, schema.GroupVersionKind{}, "ns", "ann",
			takaro.Resource("users").WithVersion("v1alpha1"), "", admission.Create, nil, false, &user.DefaultInfo{}), nil)
	}
	require.NoError(t, create("takaro.roadstead.dev/v1alpha1", "Domain"), "the kinds of this server need no discovery")
	require.ErrorContains(t, create("v1", "Node"), "discovery failed")
}

func TestPlugin(t *testing.T) {
	p := New()
	require.ErrorContains(t, p.ValidateInitialization(), PluginName)
	require.False(t, p.Handles(admission.Delete))
	plugins := admission.NewPlugins()
	initializer.Register(plugins, PluginName, New)
	require.Equal(t, []string{PluginName}, plugins.Registered())
}
