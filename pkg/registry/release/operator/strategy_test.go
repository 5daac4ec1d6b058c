// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

func TestTheReleaseIsNamedAfterTheObject(t *testing.T) {
	long := strings.Repeat("a", 54)
	for name, tc := range map[string]struct{ object, typed, stored, want string }{
		"create":                      {"op", "", "", "op"},
		"create with a name":          {"op", "typed", "", "typed"},
		"create of the longest":       {long[1:], "", "", long[1:]},
		"create of what is too long":  {long, "", "", ""},
		"a typed name for a long one": {long, "typed", "", "typed"},
		"update that omits it":        {"op", "", "kept", "kept"},
		"update with a new one":       {"op", "typed", "kept", "typed"},
	} {
		t.Run(name, func(t *testing.T) {
			operator, old := valid(), (*release.Operator)(nil)
			operator.Name, operator.Spec.ReleaseName = tc.object, tc.typed
			if tc.stored != "" {
				old = valid()
				old.Spec.ReleaseName = tc.stored
			}
			prepare(operator, old)
			require.Equal(t, tc.want, operator.Spec.ReleaseName)
		})
	}
}

// Clients that decode and encode values send them with their keys in another order.
func TestUpdate_OtherEncodingOfValues(t *testing.T) {
	const stored, spelt, other = `{"b":1,"a":{"c":null}}`, `{ "a": {"c":null}, "b": 1 }`, `{"b":1,"a":{}}`
	with := func(values string) *release.Operator {
		operator := valid()
		operator.Generation = 4
		operator.Spec.Values = &runtime.RawExtension{Raw: []byte(values)}
		operator.Spec.EnvironmentValues = map[string]runtime.RawExtension{"Staging": {Raw: []byte(values)}}
		return operator
	}
	strategy := generic.NewStrategy(newKind(boundstest.Scheme(install.Install)))
	same := with(spelt)
	strategy.PrepareForUpdate(t.Context(), same, with(stored))
	require.Equal(t, with(stored).Spec, same.Spec)
	require.EqualValues(t, 4, same.Generation)
	changed := with(other)
	strategy.PrepareForUpdate(t.Context(), changed, with(stored))
	require.EqualValues(t, 5, changed.Generation, "null takes a value of the chart away, so it is not the same as nothing")
	require.Equal(t, other, string(changed.Spec.Values.Raw))

	none := valid()
	none.Spec.Values, none.Spec.EnvironmentValues = nil, nil
	strategy.PrepareForUpdate(t.Context(), none, with(stored))
	require.Nil(t, none.Spec.Values)
	added := with(stored)
	bare := valid()
	bare.Spec.Values, bare.Spec.EnvironmentValues = nil, nil
	strategy.PrepareForUpdate(t.Context(), added, bare)
	require.Equal(t, stored, string(added.Spec.Values.Raw))
}

func TestWhoChangedTheSpecIsRecorded(t *testing.T) {
	as := func(name string) context.Context {
		return genericapirequest.WithUser(t.Context(), &user.DefaultInfo{Name: name})
	}
	kind := newKind(boundstest.Scheme(install.Install))
	strategy := generic.NewStrategy(kind)
	operator := valid()
	operator.Status.ChangedBy = "forged"
	strategy.PrepareForCreate(as("ann"), operator)
	first := operator.Status
	require.Equal(t, "ann", first.ChangedBy)
	require.Equal(t, release.PhasePending, first.Phase)

	same := operator.DeepCopy()
	same.Labels, same.Status.ChangedBy = map[string]string{"team": "blue"}, "forged"
	strategy.PrepareForUpdate(as("bob"), same, operator)
	require.Equal(t, "ann", same.Status.ChangedBy, "metadata is not a request")

	changed := operator.DeepCopy()
	changed.Spec.CRDPolicy.Breaking = release.BreakingRequireApproval
	strategy.PrepareForUpdate(as("bob"), changed, operator)
	require.Equal(t, "bob", changed.Status.ChangedBy)

	written := changed.DeepCopy()
	written.Status.ChangedBy, written.Status.LatestVersion = "forged", "v2"
	generic.NewStatusStrategy(strategy).PrepareForUpdate(as("controller"), written, changed)
	first.ChangedBy, first.LatestVersion = "bob", "v2"
	require.Equal(t, first, written.Status)
}
