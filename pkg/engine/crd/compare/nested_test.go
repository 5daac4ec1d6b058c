// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

type props = apiextensionsv1.JSONSchemaProps

// nestings move the schema below .spec of a published pair elsewhere, so that each rule is tested at every kind of depth.
var nestings = map[string]func(spec props) props{
	"property": func(spec props) props { return object("w", spec) },
	"items of an atomic list": func(spec props) props {
		return object("w", props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &spec}})
	},
	"items of a map list": func(spec props) props {
		spec.Properties["name"] = props{Type: "string"}
		spec.Required = append(spec.Required, "name")
		return object("w", props{
			Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"name"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &spec},
		})
	},
	"values of a map": func(spec props) props {
		return object("w", props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &spec}})
	},
	"behind preserve-unknown-fields": func(spec props) props {
		outer := object("w", spec)
		outer.XPreserveUnknownFields = ptr.To(true)
		return outer
	},
	"three levels down": func(spec props) props {
		return object("w", props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: ptr.To(object("v", props{
			Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &spec},
		}))}})
	},
}

func object(name string, child props) props {
	return props{Type: "object", Properties: map[string]props{name: child}}
}

// nestedVerdicts are the verdicts that differ from the published ones, with the reason.
var nestedVerdicts = map[string]map[string]rules.Verdict{
	// An atomic list is compared as one value, so a rule below it is ratcheted even if undeclared keys are kept.
	"items of an atomic list": {"116": rules.Breaking, "R01": rules.Breaking},
	// The server does not check defaults below the values of a map.
	"values of a map":   {"608": rules.Breaking},
	"three levels down": {"116": rules.Breaking, "R01": rules.Breaking, "608": rules.Breaking},
}

func TestCompare_NestedPairs(t *testing.T) {
	for _, id := range publishedIDs(t) {
		old, new := publishedPair(t, id)
		if !belowSpec(old, new) {
			continue
		}
		want := published(t)[id].Verdict
		for name, nest := range nestings {
			t.Run(id+"/"+name, func(t *testing.T) {
				wantHere, differs := nestedVerdicts[name][id]
				if !differs {
					wantHere = want
				}
				report := Compare(nested(old, nest), nested(new, nest), Options{})
				if wantHere != rules.Refused {
					// Some rules are too costly for a list without maxItems, and oldSelf cannot be used below lists
					// that are not correlated: the refusals of the server are not tested here.
					report = rules.NewReport(slices.DeleteFunc(report.Findings, func(f rules.Finding) bool { return f.Verdict == rules.Refused })...)
				}
				requireVerdict(t, wantHere, report)
			})
		}
		t.Run(id+"/second served version", func(t *testing.T) {
			// A value that only one version allows needs a review, even if the change alone is safe.
			wantHere := want
			if published(t)[id].Verdict == rules.Safe || want == "S?" {
				wantHere = rules.Review
			}
			requireVerdict(t, wantHere, Compare(inSecondVersion(old, old), inSecondVersion(old, new), Options{}))
		})
		t.Run(id+"/both served versions", func(t *testing.T) {
			requireVerdict(t, want, Compare(inSecondVersion(old, old), inSecondVersion(new, new), Options{}))
		})
	}
}

// requireVerdict requires a published verdict: "B?" stands for B, and "S?" for S if safety was proved.
func requireVerdict(t *testing.T, want rules.Verdict, report rules.Report) {
	t.Helper()
	switch want {
	case "B?":
		want = rules.Breaking
	case "S?":
		want = rules.Safe
	}
	if want != report.Verdict {
		shownReport, err := json.MarshalIndent(report, "", "  ")
		require.NoError(t, err)
		require.Equal(t, want, report.Verdict, "%s", shownReport)
	}
}

// belowSpec reports whether a pair differs only below .spec of its single schema, and is not about a refusal of the server.
func belowSpec(old, new *apiextensionsv1.CustomResourceDefinition) bool {
	a, b := old.DeepCopy(), new.DeepCopy()
	if len(a.Spec.Versions) != 1 || len(b.Spec.Versions) != 1 || a.Spec.Versions[0].Schema == nil || b.Spec.Versions[0].Schema == nil {
		return false
	}
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{a, b} {
		delete(definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "spec")
		definition.Annotations = nil
	}
	return reflect.DeepEqual(a, b) && len(old.Spec.Versions[0].AdditionalPrinterColumns) == 0 &&
		len(old.Spec.Versions[0].SelectableFields) == 0 &&
		old.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Type != ""
}

func nested(definition *apiextensionsv1.CustomResourceDefinition, nest func(props) props) *apiextensionsv1.CustomResourceDefinition {
	definition = definition.DeepCopy()
	root := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	root.Properties["spec"] = nest(root.Properties["spec"])
	return definition
}

// inSecondVersion adds a served version with the schema of the second CRD to the first.
func inSecondVersion(first, second *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	first = first.DeepCopy()
	version := *second.Spec.Versions[0].DeepCopy()
	version.Name, version.Storage = "v1beta1", false
	first.Spec.Versions = append(first.Spec.Versions, version)
	return first
}

type publishedVerdict struct {
	Change  string        `json:"change"`
	Verdict rules.Verdict `json:"verdict"`
	Note    string        `json:"note"`
}

const pairs = "testdata/pairs"

func published(t *testing.T) map[string]publishedVerdict {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pairs, "verdicts.json"))
	require.NoError(t, err)
	verdicts := map[string]publishedVerdict{}
	require.NoError(t, json.Unmarshal(raw, &verdicts))
	require.NotEmpty(t, verdicts)
	return verdicts
}

func publishedIDs(t *testing.T) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(published(t)))
}

func publishedPair(t *testing.T, id string) (old, new *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	return readDefinition(t, filepath.Join(pairs, id, "old.yaml")), readDefinition(t, filepath.Join(pairs, id, "new.yaml"))
}
