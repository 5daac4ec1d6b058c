// SPDX-License-Identifier: Apache-2.0

package releaseevidence

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

const controller = "system:serviceaccount:roadstead-system:roadstead-controller"

// stored are the objects of this server by resource and name; nil if the store is unavailable.
type stored map[[2]string]runtime.Object

func (s stored) Get(_ context.Context, resource schema.GroupResource, _, name string) (runtime.Object, error) {
	if s == nil {
		return nil, errors.New("etcd is unavailable")
	}
	if found, ok := s[[2]string{resource.Resource, name}]; ok {
		return found, nil
	}
	return nil, apierrors.NewNotFound(resource, name)
}

func (s stored) List(_ context.Context, resource schema.GroupResource, _ string, keep func(runtime.Object) bool) ([]runtime.Object, error) {
	if s == nil {
		return nil, errors.New("etcd is unavailable")
	}
	var found []runtime.Object
	for key, object := range s {
		if key[0] == resource.Resource && keep(object) {
			found = append(found, object)
		}
	}
	return found, nil
}

// asks validates a request of a user that may have the verb, and returns the number of calls of the
// authorizer and the error.
func asks(t *testing.T, objects stored, name string, may bool, operation admission.Operation, resource string, object,
	old runtime.Object) (int, error) {
	t.Helper()
	asked := 0
	plugin := New()
	assert.Error(t, plugin.ValidateInitialization())
	plugin.SetObjects(objects)
	plugin.SetControllerUser(controller)
	decide := func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		asked++
		assert.Equal(t, authorizer.AttributesRecord{
			User: &user.DefaultInfo{Name: name}, Verb: "bypass", APIGroup: "release.roadstead.dev", APIVersion: "v1alpha1",
			Resource: "approvals", ResourceRequest: true,
		}, a)
		if may {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionNoOpinion, "", nil
	}
	plugin.SetUncachedAuthorizer(authorizer.AuthorizerFunc(decide))
	require.NoError(t, plugin.ValidateInitialization())
	require.True(t, plugin.Handles(operation))
	attributes := admission.NewAttributesRecord(object, old, schema.GroupVersionKind{}, "", "",
		release.Resource(resource).WithVersion("v1alpha1"), "", operation, nil, true, &user.DefaultInfo{Name: name})
	err := plugin.Validate(t.Context(), attributes, nil)
	return asked, err
}

// requireNeeded requires that a request is refused without the verb, with an error that contains
// says, and allowed with it. If says is empty, it requires that the verb is not checked.
func requireNeeded(t *testing.T, says string, objects stored, operation admission.Operation, resource string, object, old runtime.Object) {
	t.Helper()
	asked, err := asks(t, objects, "ann", false, operation, resource, object, old)
	if says == "" {
		require.NoError(t, err)
		require.Zero(t, asked)
		return
	}
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(t, err, says)
	require.ErrorContains(t, err, `needs the RBAC verb "bypass" on approvals.release.roadstead.dev`)
	require.Equal(t, 1, asked)
	_, err = asks(t, objects, "ann", true, operation, resource, object, old)
	require.NoError(t, err)
}

// versionOf is an accepted version with some CRDs.
func versionOf(source release.CRDSource, crds ...release.OperatorVersionCRD) *release.OperatorVersion {
	return &release.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "op-1.0.0"}, Spec: release.OperatorVersionSpec{OperatorRef: release.LocalObjectReference{Name: "op"},
			CRDSource: source},
		Status: release.OperatorVersionStatus{
			CRDs: crds, Conditions: []metav1.Condition{{Type: v1alpha1.ConditionCRDsCompatible, Status: metav1.ConditionTrue,
				Reason: v1alpha1.ReasonCompatible}},
		},
	}
}

// refused is a version of which no CRDSchema was ever stored.
func refused() *release.OperatorVersion {
	version := versionOf(release.CRDSourceChart, recorded)
	version.Status.Conditions[0].Status, version.Status.Conditions[0].Reason = metav1.ConditionFalse, v1alpha1.ReasonBreakingRefused
	return version
}

func operatorWith(policy release.BreakingPolicy) *release.Operator {
	return &release.Operator{ObjectMeta: metav1.ObjectMeta{Name: "op"},
		Spec: release.OperatorSpec{CRDPolicy: release.CRDPolicy{Breaking: policy}}}
}

func TestCreateAndUpdate(t *testing.T) {
	const deny, approval, warn = release.BreakingDeny, release.BreakingRequireApproval, release.BreakingWarn
	for name, tc := range map[string]struct {
		resource    string
		object, old runtime.Object
		says        string
	}{
		"a version of a chart": {"operatorversions", versionOf(release.CRDSourceChart), nil, ""},
		"a manual version": {"operatorversions", versionOf(release.CRDSourceManual), nil,
			"spec.crdSource: with Manual, users supply the CRDs of the version"},
		"a label of a manual version":  {"operatorversions", versionOf(release.CRDSourceManual), versionOf(release.CRDSourceManual), ""},
		"a strict Operator":            {"operators", operatorWith(deny), nil, ""},
		"an Operator with the default": {"operators", operatorWith(approval), nil, ""},
		"an Operator that warns":       {"operators", operatorWith(warn), nil, "spec.crdPolicy.breaking: Warn is less strict"},
		"Deny to RequireApproval": {"operators", operatorWith(approval), operatorWith(deny),
			"spec.crdPolicy.breaking: RequireApproval is less strict"},
		"Deny to Warn":              {"operators", operatorWith(warn), operatorWith(deny), "spec.crdPolicy.breaking: Warn is less strict"},
		"RequireApproval to Warn":   {"operators", operatorWith(warn), operatorWith(approval), "spec.crdPolicy.breaking: Warn is less strict"},
		"an unset policy to Warn":   {"operators", operatorWith(warn), operatorWith(""), "spec.crdPolicy.breaking: Warn is less strict"},
		"an unknown policy to Deny": {"operators", operatorWith(deny), operatorWith("Never"), ""},
		"stricter":                  {"operators", operatorWith(deny), operatorWith(warn), ""},
		"the same":                  {"operators", operatorWith(warn), operatorWith(warn), ""},
		"a CRDSchema":               {"crdschemas", &release.CRDSchema{}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			operation := admission.Create
			if tc.old != nil {
				operation = admission.Update
			}
			requireNeeded(t, tc.says, stored{}, operation, tc.resource, tc.object, tc.old)
		})
	}
	asked, err := asks(t, stored{}, controller, false, admission.Create, "operatorversions", versionOf(release.CRDSourceManual), nil)
	require.True(t, apierrors.IsForbidden(err), "the controller is exempt from deletions only: %v", err)
	require.Equal(t, 1, asked)
}

func TestSubresourcesAndOtherGroups(t *testing.T) {
	plugin := New()
	plugin.SetObjects(stored{})
	for _, tc := range []struct {
		resource    schema.GroupResource
		subresource string
	}{{release.Resource("operatorversions"), "status"}, {schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}, ""}} {
		require.NoError(t, plugin.Validate(t.Context(),
			admission.NewAttributesRecord(versionOf(release.CRDSourceManual), nil, schema.GroupVersionKind{}, "", "x",
				tc.resource.WithVersion("v1alpha1"), tc.subresource, admission.Create, nil, false, &user.DefaultInfo{Name: "ann"}), nil))
	}
	plugin.SetUncachedAuthorizer(authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionNoOpinion, "", errors.New("kube-apiserver does not answer")
	}))
	err := plugin.Validate(t.Context(), admission.NewAttributesRecord(versionOf(release.CRDSourceManual), nil, schema.GroupVersionKind{},
		"", "x",
		release.Resource("operatorversions").WithVersion("v1alpha1"), "", admission.Create, nil, false, &user.DefaultInfo{Name: "ann"}), nil)
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(t, err, "cannot determine whether you may do this; try again: kube-apiserver does not answer")
}
