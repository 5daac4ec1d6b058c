// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

func inTemplate(names ...string) map[string]string {
	files := map[string]string{"templates/config.yaml": "kind: ConfigMap"}
	for _, name := range names {
		files["templates/"+name+".yaml"] = definition(name, "")
	}
	return files
}

func inFolder(names ...string) map[string]string {
	files := map[string]string{}
	for _, name := range names {
		files["crds/"+name+".yaml"] = definition(name, "")
	}
	return files
}

func keeping(name string) map[string]string {
	kept := "metadata: {name: " + name + ".example.com, annotations: {helm.sh/resource-policy: keep}}\n"
	plain := "metadata: {name: " + name + ".example.com}\n"
	content := definition(name, "")
	at := len("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n")
	return map[string]string{"templates/" + name + ".yaml": content[:at] + kept + content[at+len(plain):]}
}

func TestRemovedCRD(t *testing.T) {
	for _, test := range []struct {
		name       string
		older      map[string]string
		newer      map[string]string
		policy     v1alpha1.BreakingPolicy
		ready      string
		compatible string
		code       string
	}{
		{"a template", inTemplate("widgets", "gadgets"), inTemplate("gadgets"), "", "False BreakingRefused",
			"False BreakingRefused", "CRD-S01 B!"},
		{"all templates", inTemplate("widgets"), inTemplate(), v1alpha1.BreakingRequireApproval, "False BreakingRefused",
			"False BreakingRefused", "CRD-S01 B!"},
		{"a template, under Deny", inTemplate("widgets", "gadgets"), inTemplate("gadgets"), v1alpha1.BreakingDeny, "False BreakingRefused",
			"False BreakingRefused", "CRD-S01 B!"},
		{"a template, under Warn", inTemplate("widgets", "gadgets"), inTemplate("gadgets"), v1alpha1.BreakingWarn, "True AsSpecified",
			"True BreakingAllowed", "CRD-S01 B!"},
		{"a template that Helm keeps", keeping("widgets"), inTemplate("gadgets"), "", "True AsSpecified", "True NothingToCompare", "CRD-S02 R"},
		{"the crds folder", inFolder("widgets", "gadgets"), inFolder("gadgets"), v1alpha1.BreakingDeny, "True AsSpecified",
			"True NothingToCompare", "CRD-S02 R"},
		{"moved to the crds folder", inTemplate("widgets"), inFolder("widgets"), "", "False BreakingRefused",
			"False BreakingRefused", "CRD-S01 B!"},
		{"none", inTemplate("widgets"), inTemplate("widgets", "gadgets"), "", "True AsSpecified", "True NothingToCompare", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Serve("1.0.0", test.older)
			w.Serve("2.0.0", test.newer)
			w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.CRDPolicy.Breaking = test.policy })
			r := w.controller(w.Store)
			w.version("1.0.0")
			w.settle(r, first)
			second := w.version("2.0.0")
			w.settle(r, second)
			assert.Equal(t, test.ready, w.condition(second, v1alpha1.ConditionReady))
			assert.Equal(t, test.compatible, w.condition(second, v1alpha1.ConditionCRDsCompatible))
			status := w.get(second).Status
			if test.code == "" {
				assert.Empty(t, status.Findings)
			} else {
				require.Len(t, status.Findings, 1)
				assert.Equal(t, "widgets.example.com "+test.code, status.Findings[0].CRD+" "+status.Findings[0].Code+" "+
					string(status.Findings[0].Verdict))
			}
			if test.ready == "False BreakingRefused" {
				assert.Contains(t, w.message(second), first)
				assert.Contains(t, w.message(second), "verb bypass on approvals.release.roadstead.dev")
			}
			resource := w.get(second).ResourceVersion
			w.settle(w.controller(w.Store), second)
			assert.Equal(t, resource, w.get(second).ResourceVersion, "a controller that was restarted says the same")
		})
	}
}

func TestRemovedCRD_IsNotLaunderedByAnotherVersion(t *testing.T) {
	w := newWorld(t)
	r := w.controller(w.Store)
	w.Serve("1.0.0", inTemplate("widgets"))
	w.version("1.0.0")
	w.settle(r, first)
	for _, number := range []string{"2.0.0", "3.0.0"} {
		w.Serve(number, inTemplate())
		w.settle(r, w.version(number))
		assert.Equal(t, "False BreakingRefused", w.condition("widgets-"+number, v1alpha1.ConditionReady))
		assert.Contains(t, w.message("widgets-"+number), first, "a version that was refused is not compared with")
	}
}

func TestRemovedCRD_ThatWasAllowedStaysAllowed(t *testing.T) {
	w := newWorld(t)
	r := w.controller(w.Store)
	w.Serve("1.0.0", inTemplate("widgets"))
	w.Serve("2.0.0", inTemplate())
	w.version("1.0.0")
	w.settle(r, first)
	second := w.version("2.0.0")
	w.settle(r, second)
	require.Equal(t, "False BreakingRefused", w.condition(second, v1alpha1.ConditionReady))
	for _, policy := range []v1alpha1.BreakingPolicy{v1alpha1.BreakingWarn, v1alpha1.BreakingDeny} {
		w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.CRDPolicy.Breaking = policy })
		w.settle(r, second)
		assert.Equal(t, "True AsSpecified", w.condition(second, v1alpha1.ConditionReady), policy)
		w.settle(w.controller(w.Store), second)
		assert.Equal(t, "True BreakingAllowed", w.condition(second, v1alpha1.ConditionCRDsCompatible), policy)
	}
}

func TestRemovedCRD_WithValuesOfOneEnvironment(t *testing.T) {
	w := newWorld(t)
	r := w.controller(w.Store)
	w.Serve("1.0.0", switched())
	w.Serve("2.0.0", switched())
	w.version("1.0.0")
	w.settle(r, first)
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.EnvironmentValues = map[string]runtime.RawExtension{"Production": {Raw: []byte(`{"installCRDs":false}`)}}
	})
	second := w.version("2.0.0")
	w.settle(r, second)
	assert.Equal(t, "False BreakingRefused", w.condition(second, v1alpha1.ConditionReady))
	assert.Contains(t, w.get(second).Status.Findings[0].Message, "With the values of some environments:")
}

func TestFormOfOneEnvironment_ThatBreaksIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", map[string]string{
		"values.yaml": "size: {type: string}\n",
		"templates/widgets.yaml": definition("widgets", "")[:len(definition("widgets", ""))-len("{type: object, description: \"\"}\n")] +
			"{type: object, properties: {size: {{ toJson .Values.size }}}}\n",
	})
	w.EditOperator(func(o *v1alpha1.Operator) {
		o.Spec.EnvironmentValues = map[string]runtime.RawExtension{"Production": {Raw: []byte(`{"size":{"type":"string","maxLength":3}}`)}}
	})
	w.version("1.0.0")
	r := w.controller(w.Store)
	w.settle(r, first)
	assert.Equal(t, "False BreakingRefused", w.condition(first, v1alpha1.ConditionReady))
	require.Len(t, w.get(first).Status.Findings, 1)
	assert.Equal(t, "ChartCRDVaries B", w.get(first).Status.Findings[0].Code+" "+string(w.get(first).Status.Findings[0].Verdict))
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.CRDPolicy.Breaking = v1alpha1.BreakingWarn })
	w.settle(r, first)
	assert.Equal(t, "True BreakingAllowed", w.condition(first, v1alpha1.ConditionCRDsCompatible))
}

func TestRemovals_WithoutKnownOrigins(t *testing.T) {
	version := func(name string, source v1alpha1.CRDSource, crds ...string) *v1alpha1.OperatorVersion {
		made := &v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.OperatorVersionSpec{CRDSource: source}}
		for _, crd := range crds {
			made.Status.CRDs = append(made.Status.CRDs, v1alpha1.OperatorVersionCRD{Name: crd})
		}
		return made
	}
	codes := func(older, newer brought) (all []string) {
		for _, finding := range removals(older, newer) {
			all = append(all, finding.CRD+" "+finding.Code+" "+string(finding.Verdict))
		}
		return all
	}
	newer := brought{version: version("new", "", "a.example.com"), schemas: []*schemas.Summary{{CRD: "a.example.com",
		Origin: schemas.OriginCRDs}}}
	assert.Equal(t, []string{"b.example.com CRD-S01 B!"}, codes(brought{version: version("old", "", "a.example.com", "b.example.com")}, newer),
		"a CRD that was removed counts as a template, and one that stays as it is now")
	assert.Equal(t, []string{"b.example.com CRD-S02 R"}, codes(brought{version: version("old", v1alpha1.CRDSourceManual, "b.example.com")},
		newer),
		"Helm does not know a CRD that was created by hand")
	renamed := brought{version: version("new", "", "a.example.org"), schemas: []*schemas.Summary{{CRD: "a.example.org", Kind: "A",
		Origin: schemas.OriginCRDs}}}
	assert.Equal(t, []string{"a.example.com CRD-S03 B!", "a.example.com CRD-S02 R"}, codes(
		brought{version: version("old", "", "a.example.com"), schemas: []*schemas.Summary{{CRD: "a.example.com", Kind: "A",
			Origin: schemas.OriginCRDs}}}, renamed),
		"another group is another API")
}

func TestRemovedCRD_AControllerKilledAtEveryCall(t *testing.T) {
	for _, effect := range []bool{false, true} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.Serve("1.0.0", inTemplate("widgets"))
			w.Serve("2.0.0", inTemplate("gadgets"))
			w.version("1.0.0")
			w.settle(w.controller(w.Store), first)
			second := w.version("2.0.0")
			struck := w.killedAt(nth, effect, second)
			w.settle(w.controller(w.Store), second)
			w.Clock.Step(time.Hour)
			w.settle(w.controller(w.Store), second)
			require.Equal(t, "False BreakingRefused", w.condition(second, v1alpha1.ConditionReady), "call %d", nth)
			if !struck {
				require.Greater(t, nth, 5, "the run makes calls")
				break
			}
		}
	}
}
