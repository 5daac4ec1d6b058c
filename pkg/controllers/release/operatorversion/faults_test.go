// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest/releaseworld"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

// Each fault of a repository is reported as a condition, and resolved once the repository works
// again.
func TestWhatIsWrongWithTheChart(t *testing.T) {
	for _, test := range []struct {
		name    string
		spoil   func(*world)
		reason  string
		message string
		phase   v1alpha1.Phase
		heal    func(*world)
	}{
		{"503", func(w *world) { w.Repo.Fail("/index.yaml", chartrepo.Status(http.StatusServiceUnavailable, "s3cr3t")) },
			v1alpha1.ReasonRepositoryUnavailable, "503", v1alpha1.PhasePending, func(w *world) { w.Repo.Heal() }},
		{"401", func(w *world) { w.Repo.RequireLogin("u", "p") }, v1alpha1.ReasonCredentialsRefused, "401", v1alpha1.PhaseError, func(w *world) {
			w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "login"}, Type: corev1.SecretTypeBasicAuth,
				Data: map[string][]byte{"username": []byte("u"), "password": []byte("p")}})
			w.EditOperator(func(o *v1alpha1.Operator) {
				o.Spec.Chart.CredentialsSecretRef = &v1alpha1.SecretReference{Namespace: "widgets", Name: "login"}
			})
		}},
		{"no version", func(w *world) { w.Repo.Remove("widgets", "1.0.0"); w.Serve("2.0.0", two()) }, v1alpha1.ReasonChartVersionNotFound,
			`no version "1.0.0"`, v1alpha1.PhaseError, func(w *world) { w.Serve("1.0.0", two()) }},
		{"no chart", func(w *world) { w.Repo.Remove("widgets", "1.0.0") }, v1alpha1.ReasonChartNotFound, `no chart "widgets"`,
			v1alpha1.PhaseError, func(w *world) { w.Serve("1.0.0", two()) }},
		{"another digest", func(w *world) { require.NoError(w, w.Repo.Announce("widgets", "1.0.0", "abcd", "")) },
			v1alpha1.ReasonChartDigestMismatch, "sha256:abcd", v1alpha1.PhaseError, func(w *world) { w.Serve("1.0.0", two()) }},
		{"no archive", func(w *world) { w.Repo.AddArchive("widgets", "1.0.0", []byte("text")) }, v1alpha1.ReasonChartInvalid,
			"not a chart archive", v1alpha1.PhaseError, func(w *world) { w.Serve("1.0.0", two()) }},
		{"endless", func(w *world) { w.Repo.Fail(".tgz", chartrepo.Endless()) }, v1alpha1.ReasonChartTooLarge, "larger than 20 MiB",
			v1alpha1.PhaseError, func(w *world) { w.Repo.Heal() }},
		{"values", func(w *world) {
			w.Serve("1.0.0", map[string]string{"templates/a.yaml": `{{ required "say which" .Values.which }}`})
		}, v1alpha1.ReasonChartNotRendered, "set the required values in spec.values", v1alpha1.PhaseError, func(w *world) {
			w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.Values = &runtime.RawExtension{Raw: []byte(`{"which":"kind: X"}`)} })
		}},
		{"too many", func(w *world) {
			files := map[string]string{}
			for n := range v1alpha1.MaxCRDs + 1 {
				files[fmt.Sprintf("crds/%d.yaml", n)] = definition(fmt.Sprintf("w%ds", n), "")
			}
			w.Serve("1.0.0", files)
		}, v1alpha1.ReasonTooManyCRDs, "51 CustomResourceDefinitions", v1alpha1.PhaseError, nil},
		{"no Operator", func(w *world) {
			require.NoError(w, w.Store.Delete(w.Context(), &v1alpha1.Operator{ObjectMeta: metav1.ObjectMeta{Name: releaseworld.Operator}}))
		}, v1alpha1.ReasonOperatorNotFound, `Operator "widgets" is not there`, v1alpha1.PhasePending, func(w *world) {
			w.Add(&v1alpha1.Operator{ObjectMeta: metav1.ObjectMeta{Name: releaseworld.Operator, Generation: 1},
				Spec: v1alpha1.OperatorSpec{Chart: v1alpha1.OperatorChart{Repository: w.Repo.URL(), Name: "widgets"}}})
		}},
		{"no Secret", func(w *world) {
			w.EditOperator(func(o *v1alpha1.Operator) {
				o.Spec.ValuesFrom = []v1alpha1.ValuesSource{{SecretRef: &v1alpha1.SecretKeyReference{Namespace: "widgets",
					Name: "values", Key: "values.yaml"}}}
			})
		}, v1alpha1.ReasonSecretNotFound, `Secret "values" in namespace "widgets"`, v1alpha1.PhaseError, func(w *world) {
			w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "values"},
				Data: map[string][]byte{"values.yaml": []byte("a: b")}})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Serve("1.0.0", two())
			name := w.version("1.0.0")
			test.spoil(w)
			r := w.controller(w.Store)
			for range 2 {
				_, _ = r.Reconcile(t.Context(), request(name))
			}
			assert.Equal(t, "False "+test.reason, w.condition(name, v1alpha1.ConditionReady))
			assert.Contains(t, w.message(name), test.message)
			assert.NotContains(t, w.message(name), "s3cr3t")
			assert.Equal(t, test.phase, w.get(name).Status.Phase)
			switch test.reason {
			case v1alpha1.ReasonOperatorNotFound:
			case v1alpha1.ReasonTooManyCRDs:
				assert.Equal(t, "False "+test.reason, w.condition(name, v1alpha1.ConditionCRDsCompatible))
			default:
				assert.Equal(t, "False "+test.reason, w.condition(name, v1alpha1.ConditionChartFetched))
			}
			assert.Empty(t, w.Names(&v1alpha1.CRDSchemaList{}))
			version := w.get(name).ResourceVersion
			_, _ = r.Reconcile(t.Context(), request(name))
			assert.Equal(t, version, w.get(name).ResourceVersion, "the same trouble is not written again")
			if test.heal != nil {
				test.heal(w)
				w.settle(r, name)
				assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
			}
		})
	}
}

func TestValuesOfSecretsAreNotInMessages(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", map[string]string{"templates/a.yaml": `{{ fail (printf "with %s and %v" .Values.password .Values.number) }}`})
	w.Add(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "values"},
		Data: map[string][]byte{"values.yaml": []byte("password: hunter2\nnumber: 47114711")}})
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.ValuesFrom = []v1alpha1.ValuesSource{{SecretRef: &v1alpha1.SecretKeyReference{Namespace: "widgets",
			Name: "values", Key: "values.yaml"}}}
	})
	name := w.version("1.0.0")
	w.settle(w.controller(w.Store), name)
	message := w.message(name)
	assert.Contains(t, message, "with [redacted] and")
	assert.NotContains(t, message, "hunter2")
	for _, event := range drain(w) {
		assert.NotContains(t, event, "hunter2")
	}
}

func drain(w *world) []string {
	var all []string
	for {
		select {
		case text := <-w.Recorder.Events:
			all = append(all, text)
		default:
			return all
		}
	}
}
