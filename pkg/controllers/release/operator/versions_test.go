// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

func TestBaselines(t *testing.T) {
	version := func(number string, accepted bool, change ...func(*v1alpha1.OperatorVersion)) v1alpha1.OperatorVersion {
		made := v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Name: "op-" + number}}
		made.Spec.OperatorRef.Name, made.Spec.Version = "op", number
		if accepted {
			made.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCRDsCompatible, Status: metav1.ConditionTrue}}
		}
		for _, one := range change {
			one(&made)
		}
		return made
	}
	deleting := func(v *v1alpha1.OperatorVersion) { v.DeletionTimestamp = &metav1.Time{} }
	other := func(v *v1alpha1.OperatorVersion) { v.Spec.OperatorRef.Name = "other" }
	for _, test := range []struct {
		name string
		all  []v1alpha1.OperatorVersion
		want []string
	}{
		{"all accepted", []v1alpha1.OperatorVersion{version("1.0.0", true), version("1.10.0", true)}, nil},
		{"a new version", []v1alpha1.OperatorVersion{version("1.10.0", false), version("1.9.0", true), version("1.8.0", true)},
			[]string{"op-1.9.0"}},
		{"a lower version", []v1alpha1.OperatorVersion{version("1.0.0", false), version("1.1.0", true)}, nil},
		{"two of them", []v1alpha1.OperatorVersion{version("1.0.0", true), version("1.1.0", false), version("2.0.0", true),
			version("3.0.0", false)}, []string{"op-1.0.0", "op-2.0.0"}},
		{"being deleted", []v1alpha1.OperatorVersion{version("1.0.0", true), version("1.1.0", true, deleting), version("2.0.0", false)},
			[]string{"op-1.0.0"}},
		{"another operator", []v1alpha1.OperatorVersion{version("1.0.0", true, other), version("2.0.0", false)}, nil},
	} {
		assert.ElementsMatch(t, test.want, slices.Collect(maps.Keys(baselines("op", test.all))), test.name)
	}
}

func TestHistoryLimit_KeepsTheBaselineOfANewVersion(t *testing.T) {
	w := newWorld(t, func(o *v1alpha1.Operator) { o.Spec.VersionHistoryLimit = ptr.To[int32](1) })
	accept := func(number string) {
		version := &v1alpha1.OperatorVersion{}
		require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Name: name + "-" + number}, version))
		version.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCRDsCompatible, Status: metav1.ConditionTrue}}
		version.Status.Approval = v1alpha1.ApprovalNotRequired
		require.NoError(t, w.Store.Status().Update(t.Context(), version))
	}
	w.version("0.1.0")
	w.version("0.2.0")
	accept("0.1.0")
	w.once(w.controller())
	assert.Equal(t, []string{"widgets-0.1.0", "widgets-0.2.0"}, w.Names(&v1alpha1.OperatorVersionList{}),
		"0.2.0 is still to be compared with 0.1.0")
	accept("0.2.0")
	w.once(w.controller())
	assert.Equal(t, []string{"widgets-0.2.0"}, w.Names(&v1alpha1.OperatorVersionList{}))
}
