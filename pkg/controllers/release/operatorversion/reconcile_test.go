// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func two() map[string]string {
	return map[string]string{"crds/widgets.yaml": definition("widgets", ""), "templates/gadgets.yaml": definition("gadgets", "")}
}

func TestAVersionBecomesReady(t *testing.T) {
	w := newWorld(t)
	digest := w.Serve("1.0.0", two())
	name := w.version("1.0.0", func(v *v1alpha1.OperatorVersion) {
		v.Annotations = map[string]string{v1alpha1.RequestApprovalAnnotation: "we need it"}
	})
	r := w.controller(w.Store)
	w.settle(r, name)
	status := w.get(name).Status
	assert.Equal(t, digest, status.ChartDigest)
	assert.Equal(t, []v1alpha1.OperatorVersionCRD{
		{Name: "gadgets.example.com", Digest: w.schema(name, "gadgets").Status.Digest}, {Name: "widgets.example.com", Digest: w.schema(name,
			"widgets").Status.Digest},
	}, status.CRDs)
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	assert.Equal(t, "True Fetched", w.condition(name, v1alpha1.ConditionChartFetched))
	assert.Equal(t, "True NothingToCompare", w.condition(name, v1alpha1.ConditionCRDsCompatible))
	assert.Equal(t, v1alpha1.PhaseReady, status.Phase)
	assert.Equal(t, v1alpha1.ApprovalNotRequired, status.Approval)
	assert.Equal(t, []string{name + ".gadgets.example.com", name + ".widgets.example.com"}, w.Names(&v1alpha1.CRDSchemaList{}))

	schema := &v1alpha1.CRDSchema{}
	require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Name: name + ".widgets.example.com"}, schema))
	assert.Equal(t, "we need it", schema.Annotations[v1alpha1.RequestApprovalAnnotation])
	owner := metav1.GetControllerOf(schema)
	require.NotNil(t, owner)
	assert.Equal(t, types.UID("version-1.0.0"), owner.UID)
	var content map[string]any
	require.NoError(t, json.Unmarshal(schema.Spec.Definition.Raw, &content))
	assert.Equal(t, "CustomResourceDefinition", content["kind"])
	assert.NotContains(t, content, "status")
	assert.NotContains(t, content["metadata"], "creationTimestamp")

	// When idle, a reconciliation sends no request and writes nothing.
	asked, version := len(w.Repo.Requests("")), w.get(name).ResourceVersion
	for range 3 {
		w.settle(r, name)
	}
	assert.Len(t, w.Repo.Requests(""), asked)
	assert.Equal(t, version, w.get(name).ResourceVersion)
	// A new controller renders the chart once more, in its first comparison.
	w.settle(w.controller(w.Store), name)
	assert.LessOrEqual(t, len(w.Repo.Requests(".tgz")), 2)
	assert.Equal(t, version, w.get(name).ResourceVersion)
}

func TestAChartWithoutDefinitionsIsReady(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", map[string]string{"templates/x.yaml": "kind: ConfigMap"})
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, name)
	w.settle(r, name)
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	assert.Len(t, w.Repo.Requests(".tgz"), 1)
}

func TestReadyIsUnknownWhileTheWorkGoesOn(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	w.compare = func(schema *v1alpha1.CRDSchema) error {
		assert.Equal(t, "Unknown Reconciling", w.condition(name, v1alpha1.ConditionReady))
		assert.NotEmpty(t, w.get(name).Status.ChartDigest, "the digest is recorded before anything is made")
		return nil
	}
	w.settle(w.controller(w.Store), name)
}

func TestAChartThatChangesInItsRepository(t *testing.T) {
	w := newWorld(t)
	first := w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, name)
	other := w.Serve("1.0.0", map[string]string{"crds/widgets.yaml": definition("widgets", "changed")})
	w.Clock.Step(15 * time.Minute)
	w.settle(r, name)
	assert.Equal(t, "False ChartDigestChanged", w.condition(name, v1alpha1.ConditionChartFetched))
	assert.Equal(t, "False ChartDigestChanged", w.condition(name, v1alpha1.ConditionReady))
	assert.Contains(t, w.message(name), other)
	assert.Equal(t, first, w.get(name).Status.ChartDigest)
	assert.Equal(t, 2, w.made, "nothing is replaced")

	// A new controller reports the same, and when a CRDSchema is lost it creates nothing from the
	// other chart.
	require.NoError(t, w.Store.Delete(t.Context(), &v1alpha1.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: name + ".widgets.example.com"}}))
	r = w.controller(w.Store)
	_, _ = r.Reconcile(t.Context(), request(name))
	assert.Equal(t, "False ChartDigestChanged", w.condition(name, v1alpha1.ConditionReady))
	assert.Equal(t, 2, w.made)

	// An unavailable repository is no evidence of a change.
	w.Repo.Fail("", chartrepo.Status(http.StatusBadGateway, ""))
	w.Clock.Step(15 * time.Minute)
	_, _ = r.Reconcile(t.Context(), request(name))
	w.Repo.Heal()
	w.Serve("1.0.0", two())
	w.settle(r, name)
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	assert.Equal(t, 3, w.made)
}

func TestARepositoryThatGoesAwayLeavesWhatWasFetched(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, name)
	version := w.get(name).ResourceVersion
	w.Repo.Fail("", chartrepo.Status(http.StatusBadGateway, ""))
	w.Clock.Step(time.Hour)
	w.settle(r, name)
	assert.Equal(t, version, w.get(name).ResourceVersion)
}

func TestDefinitionsThatDependOnTheEnvironment(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", map[string]string{
		"values.yaml":            "note: base\nextra: false\n",
		"templates/widgets.yaml": "{{ if .Values.note }}\n" + definition("widgets", "{{ .Values.note }}") + "{{ end }}",
		"templates/extras.yaml":  "{{ if .Values.extra }}\n" + definition("extras", "") + "{{ end }}",
	})
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.EnvironmentValues = map[string]runtime.RawExtension{
			"Production": {Raw: []byte(`{"note":"prod"}`)}, "Development": {Raw: []byte(`{"extra":true}`)},
		}
	})
	name := w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, name)
	status := w.get(name).Status
	assert.Equal(t, []string{name + ".extras.example.com", name + ".widgets.example.com"}, w.Names(&v1alpha1.CRDSchemaList{}))
	require.Len(t, status.Findings, 2)
	assert.Equal(t, "widgets.example.com ChartCRDVaries R", status.Findings[0].CRD+" "+status.Findings[0].Code+" "+
		string(status.Findings[0].Verdict))
	assert.Contains(t, status.Findings[0].Message, "with the values of Production differently than with spec.values")
	assert.Contains(t, status.Findings[1].Message, "with the values of Development, and not with spec.values, the values of Production")
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	w.settle(w.controller(w.Store), name)
	assert.Equal(t, status, w.get(name).Status, "the findings stay, though the chart is not rendered again")
}

func TestLowerVersionsComeFirst(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	w.Serve("2.0.0", two())
	low, high := w.version("1.0.0"), w.version("2.0.0")
	r := w.controller(w.Store)
	result, err := r.Reconcile(t.Context(), request(high))
	require.NoError(t, err)
	assert.Equal(t, waitStep, result.RequeueAfter)
	assert.Equal(t, "Unknown Reconciling", w.condition(high, v1alpha1.ConditionReady))
	assert.Contains(t, w.message(high), low)
	w.settle(r, low)
	w.settle(r, high)
	assert.Equal(t, "True AsSpecified", w.condition(high, v1alpha1.ConditionReady))

	// A chart that is unavailable does not delay the other versions forever.
	w.Serve("3.0.0", two())
	w.Repo.Fail("-2.5.0.tgz", chartrepo.Status(http.StatusServiceUnavailable, ""))
	w.Serve("2.5.0", two())
	stuck, next := w.version("2.5.0"), w.version("3.0.0")
	_, err = r.Reconcile(t.Context(), request(stuck))
	require.Error(t, err)
	_, err = r.Reconcile(t.Context(), request(next))
	require.NoError(t, err)
	assert.Equal(t, "Unknown Reconciling", w.condition(next, v1alpha1.ConditionReady))
	w.Clock.Step(longestWait + time.Second)
	w.settle(r, next)
	assert.Equal(t, "True AsSpecified", w.condition(next, v1alpha1.ConditionReady))
}

func TestManualVersionsGatherWhatIsMadeByHand(t *testing.T) {
	w := newWorld(t)
	name := w.version("1.0.0", func(v *v1alpha1.OperatorVersion) { v.Spec.CRDSource = v1alpha1.CRDSourceManual })
	other := w.version("1.0.0-rc.1", func(v *v1alpha1.OperatorVersion) { v.Spec.CRDSource = v1alpha1.CRDSourceManual })
	for _, one := range []string{name + ".widgets.example.com", other + ".widgets.example.com"} {
		version := name
		if one[:len(other)] == other {
			version = other
		}
		w.Add(&v1alpha1.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: one},
			Spec: v1alpha1.CRDSchemaSpec{OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: version}}})
	}
	r := w.controller(w.Store)
	w.settle(r, name)
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
	assert.Equal(t, "absent", w.condition(name, v1alpha1.ConditionChartFetched))
	assert.Equal(t, []v1alpha1.OperatorVersionCRD{{Name: "widgets.example.com", Digest: "sha256:widgets.example.com"}},
		w.get(name).Status.CRDs)
	assert.Empty(t, w.Repo.Requests(""), "nothing is fetched")

	require.NoError(t, w.Store.Delete(t.Context(), &v1alpha1.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: name + ".widgets.example.com"}}))
	w.settle(r, name)
	assert.Empty(t, w.get(name).Status.CRDs)
}
