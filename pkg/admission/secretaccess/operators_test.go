// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func operator(credentials string, values ...string) *release.Operator {
	operator := &release.Operator{}
	if credentials != "" {
		operator.Spec.Chart.CredentialsSecretRef = &release.SecretReference{Namespace: "charts", Name: credentials}
	}
	for _, name := range values {
		operator.Spec.ValuesFrom = append(operator.Spec.ValuesFrom,
			release.ValuesSource{SecretRef: &release.SecretKeyReference{Namespace: "values", Name: name, Key: "k"}})
	}
	return operator
}

func TestOperatorReferences(t *testing.T) {
	require.Empty(t, operatorReferences(&takaro.Domain{}))
	half := operator("", "a")
	half.Spec.ValuesFrom[0].SecretRef = nil
	require.Empty(t, operatorReferences(half))
	for name, tc := range map[string]struct {
		obj, old *release.Operator
		asked    []string
		err      string
	}{
		"none":        {obj: operator("")},
		"all allowed": {obj: operator("yes", "yes", "too", "too"), asked: []string{"charts/yes", "values/yes", "values/too"}},
		"refused credentials": {obj: operator("no"), asked: []string{"charts/no"},
			err: `spec.chart.credentialsSecretRef: you may not get Secret "no" in namespace "charts"`},
		"refused values": {obj: operator("", "yes", "no"), asked: []string{"values/yes", "values/no"},
			err: `spec.valuesFrom[1].secretRef: you may not get Secret "no" in namespace "values"`},
		"unchanged": {obj: operator("no", "no"), old: operator("no", "no")},
		"changed": {obj: operator("no"), old: operator("yes"), asked: []string{"charts/no"},
			err: "spec.chart.credentialsSecretRef"},
		"a place that was another's": {obj: operator("", "no", "yes"), old: operator("", "yes", "no"), asked: []string{"values/no"},
			err: "spec.valuesFrom[0].secretRef"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			p := plugin(asking(&asked, "yes", "too"))
			attributes := func(old runtime.Object, operation admission.Operation) admission.Attributes {
				return admission.NewAttributesRecord(tc.obj, old, schema.GroupVersionKind{}, "", "op",
					release.Resource("operators").WithVersion("v1alpha1"), "", operation, nil, false, &user.DefaultInfo{Name: "alice"})
			}
			request := attributes(nil, admission.Create)
			if tc.old != nil {
				request = attributes(tc.old, admission.Update)
			}
			err := p.Validate(t.Context(), request, nil)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			var want []string
			for _, secret := range tc.asked {
				want = append(want, "alice get secrets "+secret)
			}
			require.Equal(t, want, asked)
		})
	}
}
