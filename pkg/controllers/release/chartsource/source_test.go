// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

func TestSource_SecretNamespaces(t *testing.T) {
	store := fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s"},
		Type: corev1.SecretTypeBasicAuth, Data: map[string][]byte{"username": []byte("u"), "v": []byte("a: 1")}}).Build()
	operator := &v1alpha1.Operator{}
	operator.Spec.Chart.CredentialsSecretRef = &v1alpha1.SecretReference{Namespace: "team", Name: "s"}
	operator.Spec.ValuesFrom = []v1alpha1.ValuesSource{{SecretRef: &v1alpha1.SecretKeyReference{Namespace: "team", Name: "s", Key: "v"}}}
	for name, c := range map[string]struct {
		namespaces []string
		served     bool
	}{
		"all":          {nil, true},
		"among them":   {[]string{"team"}, true},
		"not in them ": {[]string{"other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			reader := secrets.Within(store, c.namespaces)
			source := Source{Secrets: secrets.NewReader(reader, reader)}
			_, _, ofRepository := source.Repository(t.Context(), operator)
			_, ofValues := source.Values(t.Context(), operator)
			for field, problem := range map[string]*base.Blocked{"spec.chart.credentialsSecretRef": ofRepository, "spec.valuesFrom[0]": ofValues} {
				if c.served {
					require.Nil(t, problem)
					continue
				}
				require.NotNil(t, problem, field)
				assert.Equal(t, v1alpha1.ReasonNamespaceNotServed, problem.Reason)
				assert.NoError(t, problem.Err, "it changes with a restart of the controller")
				for _, text := range []string{field, `"s"`, `"team"`, "--secret-namespaces"} {
					assert.Contains(t, problem.Message, text)
				}
				assert.True(t, MustAct(problem.Reason))
			}
		})
	}
}
