// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// operators are the results of reading Operators, by name.
type operators map[string]error

func (o operators) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	err, there := o[name]
	if !there {
		return nil, apierrors.NewNotFound(release.Resource("operators"), name)
	}
	return &release.Operator{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: release.OperatorStatus{ChangedBy: "olga"}}, err
}

const controller = "system:serviceaccount:roadstead-system:roadstead-controller"

func TestTheRequesterIsRecorded(t *testing.T) {
	for name, tc := range map[string]struct{ caller, operator, want string }{
		"a user":                            {"ann", "there", "ann"},
		"discovered by the controller":      {controller, "there", "olga"},
		"discovered, Operator not found":    {controller, "missing", ""},
		"discovered, Operator not readable": {controller, "unknown", ""},
	} {
		t.Run(name, func(t *testing.T) {
			version := &release.OperatorVersion{Spec: release.OperatorVersionSpec{OperatorRef: release.LocalObjectReference{Name: tc.operator}}}
			ctx := genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: tc.caller})
			stamp(&lookup.Objects{Operators: operators{"there": nil, "unknown": errors.New("etcd is unavailable")}}, controller)(ctx, version)
			require.Equal(t, release.OperatorVersionStatus{CreatedBy: tc.caller, RequestedBy: tc.want}, version.Status)
		})
	}
}

func TestAMissingOperatorIsWarnedOf(t *testing.T) {
	warn := warnings(&lookup.Objects{Operators: operators{"there": nil, "unknown": errors.New("etcd is away")}})
	of := func(operator string) *release.OperatorVersion {
		return &release.OperatorVersion{Spec: release.OperatorVersionSpec{OperatorRef: release.LocalObjectReference{Name: operator}}}
	}
	require.Equal(t, []string{`spec.operatorRef.name: Operator "missing" does not exist; the version is not Ready until it is created`},
		warn(t.Context(), of("missing"), nil))
	require.Empty(t, warn(t.Context(), of("there"), nil))
	require.Empty(t, warn(t.Context(), of("unknown"), nil), "nothing is said that is not known")
	require.Empty(t, warn(t.Context(), of("missing"), of("missing")), "said once is enough")
}

func TestStorage(t *testing.T) {
	main, status, err := NewREST(boundstest.Scheme(install.Install), storetest.New(t, boundstest.Scheme(install.Install),
		v1alpha1.SchemeGroupVersion),
		&lookup.Objects{Operators: operators{}}, controller)
	require.NoError(t, err)
	t.Cleanup(main.Destroy)
	storetest.Ready(t, main)
	ctx := genericapirequest.WithUser(genericapirequest.WithNamespace(t.Context(), ""), &user.DefaultInfo{Name: "ann"})
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create",
		APIGroup: release.GroupName, APIVersion: "v1alpha1", Resource: "operatorversions"})
	other := genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "bob"})

	sent := valid()
	sent.Status.CreatedBy = "forged"
	made, err := main.Create(ctx, sent, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	require.NoError(t, err)
	first := made.(*release.OperatorVersion).Status
	require.Len(t, first.Conditions, 1)
	require.Equal(t, release.OperatorVersionStatus{CreatedBy: "ann", RequestedBy: "ann", Phase: release.PhasePending,
		Conditions: first.Conditions}, first,
		"a create sets no status but the first")

	forged := made.(*release.OperatorVersion).DeepCopy()
	forged.Status.CreatedBy, forged.Status.RequestedBy, forged.Status.ChartDigest = "bob", "bob", "sha256:1"
	changed, _, err := status.Update(other, forged.Name, rest.DefaultUpdatedObjectInfo(forged), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, release.OperatorVersionStatus{CreatedBy: "ann", RequestedBy: "ann", ChartDigest: "sha256:1", Phase: release.PhasePending,
		Conditions: first.Conditions},
		changed.(*release.OperatorVersion).Status)

	spec := changed.(*release.OperatorVersion).DeepCopy()
	spec.Spec.CRDSource = release.CRDSourceManual
	_, _, err = main.Update(other, spec.Name, rest.DefaultUpdatedObjectInfo(spec), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	require.ErrorContains(t, err, "spec.crdSource")
	require.ErrorContains(t, err, "immutable")

	wrong := valid()
	wrong.Name, wrong.ResourceVersion = "wrong", ""
	_, err = main.Create(ctx, wrong, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	require.ErrorContains(t, err, `must be "cert-manager-v1.15.0"`)

	next := valid()
	next.Name, next.Spec.OperatorRef.Name = "other-v1.15.0", "other"
	_, err = main.Create(ctx, next, rest.ValidateAllObjectFunc, &metav1.CreateOptions{})
	require.NoError(t, err)
	found, err := All(main)(ctx)
	require.NoError(t, err)
	require.Len(t, found, 2)
}

func TestCompatibilityIsTheWorstOfAllCRDs(t *testing.T) {
	version := &release.OperatorVersion{}
	require.Equal(t, "", compatibility(version), "nothing was compared")
	version.Status.CRDs = []release.OperatorVersionCRD{{Compatibility: "S"}, {}, {Compatibility: "B!"}, {Compatibility: "B"}}
	require.Equal(t, "B!", compatibility(version))
}
