// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

// switched returns a chart whose CRDs depend on values: note is in the description of widgets, and
// extra adds extras.
func switched() map[string]string {
	return map[string]string{
		"values.yaml":            "installCRDs: true\nnote: base\nextra: false\n",
		"templates/widgets.yaml": "{{ if .Values.installCRDs }}\n" + definition("widgets", "{{ .Values.note }}") + "{{ end }}",
		"templates/extras.yaml":  "{{ if .Values.extra }}\n" + definition("extras", "") + "{{ end }}",
		"templates/fails.yaml":   "{{ if .Values.fails }}{{ fail \"on purpose\" }}{{ end }}",
	}
}

func (w *world) values(json string) {
	w.Helper()
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.Values = &runtime.RawExtension{Raw: []byte(json)} })
}

func TestValues_ThatChangeWhatAReadyVersionBrings(t *testing.T) {
	for _, test := range []struct{ name, values, says string }{
		{"hidden", `{"installCRDs":false}`, "removed widgets.example.com"},
		{"another form", `{"note":"other"}`, "changed widgets.example.com"},
		{"one more", `{"extra":true}`, "added extras.example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Serve("1.0.0", switched())
			w.version("1.0.0")
			r := w.controller(w.Store)
			w.settle(r, first)
			recorded := w.get(first).Status.CRDs
			w.Clock.Step(2 * rerenderWait)
			w.values(test.values)
			w.settle(r, first)
			assert.Equal(t, "False ChartCRDsChanged", w.condition(first, v1alpha1.ConditionReady))
			assert.Equal(t, "False ChartCRDsChanged", w.condition(first, v1alpha1.ConditionChartFetched))
			assert.Equal(t, "True NothingToCompare", w.condition(first, v1alpha1.ConditionCRDsCompatible), "what was judged was accepted")
			assert.Contains(t, w.message(first), test.says)
			assert.Equal(t, recorded, w.get(first).Status.CRDs)
			assert.Equal(t, []string{first + ".widgets.example.com"}, w.Names(&v1alpha1.CRDSchemaList{}))

			// When idle, nothing is fetched, and a restarted controller keeps reporting the same.
			fetched, resource := len(w.Repo.Requests(".tgz")), w.get(first).ResourceVersion
			w.settle(r, first)
			assert.Len(t, w.Repo.Requests(".tgz"), fetched)
			w.settle(w.controller(w.Store), first)
			assert.Len(t, w.Repo.Requests(".tgz"), fetched+1, "rendered once by a new controller")
			assert.Equal(t, resource, w.get(first).ResourceVersion)

			w.Clock.Step(2 * rerenderWait)
			w.values(`{}`)
			w.settle(r, first)
			assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
		})
	}
}

func TestValues_ChangedWhileTheControllerDoesNotRun(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	w.version("1.0.0")
	w.settle(w.controller(w.Store), first)
	w.values(`{"installCRDs":false}`)
	r := w.controller(w.Store)
	w.settle(r, first)
	w.Clock.Step(11 * time.Minute)
	w.settle(r, first)
	assert.Equal(t, "False ChartCRDsChanged", w.condition(first, v1alpha1.ConditionReady), "found with the first comparison")
	assert.Len(t, w.Repo.Requests(".tgz"), 2)
	w.Clock.Step(11 * time.Minute)
	w.settle(r, first)
	assert.Len(t, w.Repo.Requests(".tgz"), 2, "once after a start")
}

func TestValues_OfSecretsCount(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "widgets", Name: "values"},
		Data: map[string][]byte{"values.yaml": []byte("password: hunter2")}}
	w.Add(secret)
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.ValuesFrom = []v1alpha1.ValuesSource{{SecretRef: &v1alpha1.SecretKeyReference{Namespace: "widgets",
			Name: "values", Key: "values.yaml"}}}
	})
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	w.Clock.Step(2 * rerenderWait)
	secret.Data["values.yaml"] = []byte("installCRDs: false")
	require.NoError(t, w.Store.Update(t.Context(), secret))
	w.settle(r, first)
	assert.Equal(t, "False ChartCRDsChanged", w.condition(first, v1alpha1.ConditionReady))
}

func TestValues_OtherChangesOfTheOperatorFetchNothing(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.CRDPolicy.Breaking = v1alpha1.BreakingDeny })
	w.settle(r, first)
	assert.Len(t, w.Repo.Requests(".tgz"), 1)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
}

func TestValues_ThatChangeAgainAndAgainAreRenderedOnceAMinute(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	w.version("1.0.0")
	r := w.controller(w.Store)
	r.comparisons.period = 100 * 24 * time.Hour // the first comparison is at a random time within the period
	w.settle(r, first)
	for n := range 20 {
		w.values(fmt.Sprintf(`{"unused":%d}`, n))
		result, err := r.Reconcile(t.Context(), request(first))
		require.NoError(t, err)
		assert.LessOrEqual(t, result.RequeueAfter, rerenderWait)
		assert.Equal(t, "Unknown Reconciling", w.condition(first, v1alpha1.ConditionReady), "nobody knows what they do")
		w.Clock.Step(time.Second)
	}
	assert.Len(t, w.Repo.Requests(".tgz"), 1)
	w.settle(r, first)
	assert.Len(t, w.Repo.Requests(".tgz"), 2)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
}

func TestValues_ThatCannotBeRendered(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	w.Clock.Step(2 * rerenderWait)
	w.values(`{"fails":true}`)
	w.settle(r, first)
	assert.Equal(t, "False ChartNotRendered", w.condition(first, v1alpha1.ConditionReady))
	fetched := len(w.Repo.Requests(".tgz"))
	w.settle(r, first)
	assert.Len(t, w.Repo.Requests(".tgz"), fetched, "the chart stays as it is")

	w.Clock.Step(2 * rerenderWait)
	w.Repo.Fail(".tgz", chartrepo.Status(http.StatusBadGateway, ""))
	w.values(`{"note":"base"}`)
	_, err := r.Reconcile(t.Context(), request(first))
	require.Error(t, err)
	assert.Equal(t, "False RepositoryUnavailable", w.condition(first, v1alpha1.ConditionReady))
	w.Repo.Heal()
	w.settle(r, first)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady))
}

func TestValues_ChangedWhileTheRepositoryRequestsAWait(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", switched())
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	w.Clock.Step(2 * rerenderWait)
	w.Repo.Fail(".tgz", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Retry-After", "600")
		out.WriteHeader(http.StatusTooManyRequests)
	})
	w.values(`{"unused":1}`)
	result, err := r.Reconcile(t.Context(), request(first))
	require.NoError(t, err)
	assert.Equal(t, 10*time.Minute, result.RequeueAfter)
	assert.Equal(t, "False RepositoryUnavailable", w.condition(first, v1alpha1.ConditionReady))

	w.Repo.Heal()
	w.Clock.Step(10 * time.Minute)
	w.settle(r, first)
	assert.Equal(t, "True AsSpecified", w.condition(first, v1alpha1.ConditionReady), "the chart is rendered with the new values")
}

// While nothing is accepted, other values may correct what the chart brings; what was created
// already stays as it is.
func TestDrift(t *testing.T) {
	a, b := v1alpha1.OperatorVersionCRD{Name: "a", Digest: "1"}, v1alpha1.OperatorVersionCRD{Name: "b", Digest: "2"}
	own := func(names ...string) []*schemas.Summary {
		var all []*schemas.Summary
		for _, name := range names {
			all = append(all, &schemas.Summary{Name: "v." + name})
		}
		return all
	}
	for _, test := range []struct {
		name     string
		recorded []v1alpha1.OperatorVersionCRD
		own      []*schemas.Summary
		accepted bool
		rendered []renderedCRD
		want     string
	}{
		{"as recorded", []v1alpha1.OperatorVersionCRD{a, b}, own("a", "b"), true, []renderedCRD{{name: "a", digest: "1"},
			{name: "b", digest: "2"}}, ""},
		{"incomplete, and what is missing changed", []v1alpha1.OperatorVersionCRD{a, b}, own("a"), false, []renderedCRD{{name: "a", digest: "1"},
			{name: "b", digest: "x"}, {name: "c"}}, ""},
		{"incomplete, and what is missing was removed", []v1alpha1.OperatorVersionCRD{a, b}, own("a"), false,
			[]renderedCRD{{name: "a", digest: "1"}}, ""},
		{"incomplete, and what exists changed", []v1alpha1.OperatorVersionCRD{a, b}, own("a"), false, []renderedCRD{{name: "a", digest: "x"},
			{name: "b", digest: "2"}}, "changed a"},
		{"complete", []v1alpha1.OperatorVersionCRD{a, b}, own("a", "b"), false, []renderedCRD{{name: "b", digest: "x"}, {name: "c"}},
			"removed a, changed b, added c"},
		{"accepted, and a CRDSchema was deleted", []v1alpha1.OperatorVersionCRD{a, b}, own("a"), true, []renderedCRD{{name: "a", digest: "1"}},
			"removed b"},
		{"without CRDs", nil, nil, false, []renderedCRD{{name: "a"}}, "added a"},
	} {
		version := &v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
		version.Status.ChartDigest, version.Status.CRDs = "sha256:chart", test.recorded
		if test.accepted {
			set(version, v1alpha1.ConditionCRDsCompatible, metav1.ConditionTrue, v1alpha1.ReasonCompatible, "")
		}
		assert.Equal(t, test.want, drift(&attempt{version: version}, test.own, test.rendered), test.name)
		version.Status.ChartDigest = ""
		assert.Empty(t, drift(&attempt{version: version}, test.own, test.rendered), "nothing was recorded yet")
	}
}

func TestValues_ChangedWhileTheControllerIsKilledAtEveryCall(t *testing.T) {
	for _, effect := range []bool{false, true} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.Serve("1.0.0", switched())
			w.version("1.0.0")
			struck := w.killedAt(nth, effect, first)
			created := len(w.Names(&v1alpha1.CRDSchemaList{}))
			w.values(`{"note":"other"}`)
			r := w.controller(w.Store)
			w.settle(r, first)
			w.Clock.Step(11 * time.Minute)
			w.settle(r, first)
			want := "True AsSpecified"
			if created > 0 {
				want = "False ChartCRDsChanged" // the CRDSchemas that were created are bound to the first values
			}
			require.Equal(t, want, w.condition(first, v1alpha1.ConditionReady), "call %d", nth)
			if !struck {
				require.Greater(t, nth, 5, "the run makes calls")
				break
			}
		}
	}
}
