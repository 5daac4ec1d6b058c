// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// setDefinition returns a small CRD, modified by the edits.
func setDefinition(plural, group, kind string,
	edits ...func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
	made := &apiextensionsv1.CustomResourceDefinition{}
	made.Name = plural + "." + group
	made.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: group, Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind, Singular: plural[:len(plural)-1],
			ListKind: kind + "List"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"f": {Type: "string"}}}},
			}},
		}},
	}
	for _, edit := range edits {
		edit(made)
	}
	return made
}

func setWidget(edits ...func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
	return setDefinition("widgets", "example.com", "Widget", edits...)
}

func storedAsV2(d *apiextensionsv1.CustomResourceDefinition) {
	second := *d.Spec.Versions[0].DeepCopy()
	second.Name = "v2"
	d.Spec.Versions[0].Storage = false
	d.Spec.Versions = append(d.Spec.Versions, second)
}

func convertedBy(port int32) func(*apiextensionsv1.CustomResourceDefinition) {
	return func(d *apiextensionsv1.CustomResourceDefinition) {
		second := *d.Spec.Versions[0].DeepCopy()
		second.Name, second.Storage = "v2", false
		d.Spec.Versions = append(d.Spec.Versions, second)
		d.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
			Strategy: apiextensionsv1.WebhookConverter,
			Webhook: &apiextensionsv1.WebhookConversion{
				ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Namespace: "system",
					Name: "hook", Port: ptr.To(port)}},
				ConversionReviewVersions: []string{"v1"},
			},
		}
	}
}

// chartOf returns a set of CRDs of one origin.
func chartOf(origin Origin, definitions ...*apiextensionsv1.CustomResourceDefinition) Set {
	set := Set{Name: "chart", Chart: origin != Plain}
	for _, one := range definitions {
		set.Members = append(set.Members, Member{CRD: one, Origin: origin})
	}
	return set
}

func keptIn(set Set) Set {
	for i := range set.Members {
		set.Members[i].Kept = true
	}
	return set
}

func serving(set Set, services ...Service) Set {
	set.Services = services
	return set
}

// ofSets returns the findings of rules about sets, as code and verdict.
func ofSets(report rules.Report) map[string]rules.Verdict {
	found := map[string]rules.Verdict{}
	for _, one := range report.Findings {
		if one.Code[4] == 'S' {
			found[one.Code] = one.Verdict
		}
	}
	return found
}

func TestCompareSets(t *testing.T) {
	empty := Set{Name: "empty", Chart: true}
	webhook := Service{Name: "hook", Ports: []int32{443}}
	for name, test := range map[string]struct {
		old, new Set
		want     map[string]rules.Verdict
	}{
		"nothing": {old: chartOf(Template, setWidget()), new: chartOf(Template, setWidget()),
			want: map[string]rules.Verdict{}},
		"a new definition": {old: empty, new: chartOf(Template, setWidget()), want: map[string]rules.Verdict{}},
		"out of the templates": {old: chartOf(Template, setWidget()), new: empty,
			want: map[string]rules.Verdict{"CRD-S01": rules.Destructive}},
		"out of the templates, kept": {old: keptIn(chartOf(Template, setWidget())), new: empty,
			want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"out of the crds folder": {old: chartOf(CRDsFolder, setWidget()), new: empty,
			want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"out of manifests": {old: chartOf(Plain, setWidget()), new: chartOf(Plain, setDefinition("gadgets",
			"example.com", "Gadget")), want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"no origin": {old: chartOf("", setWidget()), new: Set{},
			want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"renamed group in manifests": {old: chartOf(Plain, setWidget()), new: chartOf(Plain, setDefinition("widgets", "example.io",
			"Widget")), want: map[string]rules.Verdict{"CRD-S02": rules.Review, "CRD-S03": rules.Destructive}},
		"renamed group in templates": {old: chartOf(Template, setWidget()), new: chartOf(Template, setDefinition("widgets",
			"example.io", "Widget")), want: map[string]rules.Verdict{"CRD-S01": rules.Destructive, "CRD-S03": rules.Destructive}},
		"another kind in another group": {old: chartOf(CRDsFolder, setWidget()), new: chartOf(CRDsFolder, setDefinition("gadgets",
			"example.io", "Gadget")), want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"a second group that existed before": {old: chartOf(Plain, setWidget(), setDefinition("widgets", "example.io", "Widget")),
			new: chartOf(Plain, setDefinition("widgets", "example.io", "Widget")), want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"templates to crds folder": {old: chartOf(Template, setWidget()), new: chartOf(CRDsFolder, setWidget()),
			want: map[string]rules.Verdict{"CRD-S01": rules.Destructive}},
		"templates to crds folder, kept": {old: keptIn(chartOf(Template, setWidget())), new: chartOf(CRDsFolder, setWidget()),
			want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"crds folder to templates": {old: chartOf(CRDsFolder, setWidget()), new: chartOf(Template, setWidget()),
			want: map[string]rules.Verdict{"CRD-S02": rules.Review}},
		"keep is lost": {old: keptIn(chartOf(Template, setWidget())), new: chartOf(Template, setWidget()),
			want: map[string]rules.Verdict{"CRD-S01": rules.Review}},
		"keep is added": {old: chartOf(Template, setWidget()), new: keptIn(chartOf(Template, setWidget())),
			want: map[string]rules.Verdict{}},
		"manifests to a chart": {old: chartOf(Plain, setWidget()), new: chartOf(Template, setWidget()),
			want: map[string]rules.Verdict{}},
		"another storage version": {old: chartOf(Plain, setWidget()), new: chartOf(Plain, setWidget(storedAsV2)),
			want: map[string]rules.Verdict{"CRD-S05": rules.Review}},
		"webhook without Service": {old: chartOf(CRDsFolder, setWidget()),
			new:  serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), Service{Name: "metrics"}),
			want: map[string]rules.Verdict{"CRD-S07": rules.Refused}},
		"webhook with another port": {old: chartOf(CRDsFolder, setWidget()),
			new: serving(chartOf(CRDsFolder, setWidget(convertedBy(9443))), webhook), want: map[string]rules.Verdict{"CRD-S07": rules.Refused}},
		"webhook of a definition with one version": {old: chartOf(CRDsFolder, setWidget()),
			new: serving(chartOf(CRDsFolder, setWidget(convertedBy(443),
				func(d *apiextensionsv1.CustomResourceDefinition) { d.Spec.Versions = d.Spec.Versions[:1] })), Service{Name: "metrics"}),
			want: map[string]rules.Verdict{}},
		"webhook with Service": {old: chartOf(CRDsFolder, setWidget()),
			new: serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), webhook), want: map[string]rules.Verdict{}},
		"webhook in a chart without Services": {old: chartOf(CRDsFolder, setWidget()), new: chartOf(CRDsFolder, setWidget(convertedBy(443))),
			want: map[string]rules.Verdict{}},
		"webhook in manifests": {old: chartOf(Plain, setWidget()), new: chartOf(Plain, setWidget(convertedBy(443))),
			want: map[string]rules.Verdict{}},
		"webhook that had no Service before": {old: serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), Service{Name: "metrics"}),
			new: serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), Service{Name: "metrics"}), want: map[string]rules.Verdict{}},
		"Service of a webhook is removed": {old: serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), webhook),
			new:  serving(chartOf(CRDsFolder, setWidget(convertedBy(443))), Service{Name: "metrics"}),
			want: map[string]rules.Verdict{"CRD-S07": rules.Refused}},
	} {
		t.Run(name, func(t *testing.T) {
			report := Compare(test.old, test.new, compare.Options{})
			assert.Equal(t, test.want, ofSets(report))
			for _, one := range report.Findings {
				if one.Code[4] == 'S' {
					assert.NotEmpty(t, one.Message)
					assert.NotEmpty(t, one.FixHint)
					assert.NotEmpty(t, one.CRD)
				}
			}
		})
	}
}

func formatted(d *apiextensionsv1.CustomResourceDefinition) {
	spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties["list"] = apiextensionsv1.JSONSchemaProps{Type: "array",
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string", Format: "k8s-short-name"}}}
}

func TestReverseSets(t *testing.T) {
	empty := Set{Name: "empty", Chart: true}
	for name, test := range map[string]struct {
		old, new Set
		want     map[string]rules.Verdict
	}{
		"a CRD that a template added": {old: empty, new: chartOf(Template, setWidget()),
			want: map[string]rules.Verdict{"CRD-S01": rules.Destructive}},
		"a CRD that is kept":       {old: empty, new: keptIn(chartOf(Template, setWidget())), want: map[string]rules.Verdict{}},
		"a CRD of the crds folder": {old: empty, new: chartOf(CRDsFolder, setWidget()), want: map[string]rules.Verdict{}},
		"a CRD that was removed":   {old: chartOf(Template, setWidget()), new: empty, want: map[string]rules.Verdict{}},
		"a new storage version": {old: chartOf(Plain, setWidget()), new: chartOf(Plain, setWidget(storedAsV2)),
			want: map[string]rules.Verdict{}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, ofSets(Reverse(test.old, test.new, compare.Options{})))
		})
	}
}

func TestCompareSets_Digest(t *testing.T) {
	gadget := setDefinition("gadgets", "example.com", "Gadget")
	report := Compare(chartOf(Plain, setWidget(), gadget), chartOf(Plain, gadget, setWidget(formatted)), compare.Options{})
	assert.Equal(t, compare.Digest(setWidget(), setWidget(formatted)), report.Digest)
	assert.Empty(t, Compare(chartOf(Plain, setWidget(), gadget), chartOf(Plain, gadget, setWidget()), compare.Options{}).Digest)
	assert.Empty(t, Compare(chartOf(Plain, setWidget(), gadget), chartOf(Plain, gadget), compare.Options{}).Digest)
	assert.Equal(t, compare.Digest(gadget, gadget), Compare(chartOf(Plain, gadget), chartOf(Plain, gadget), compare.Options{}).Digest)
	injected := setWidget(convertedBy(443))
	injected.Spec.Conversion.Webhook.ClientConfig.CABundle = []byte("x")
	assert.False(t, Pair{Old: Member{CRD: setWidget(convertedBy(443))}, New: Member{CRD: injected}}.Changed())
}

func TestSetValidate(t *testing.T) {
	require.NoError(t, chartOf(Plain, setWidget(), setWidget()).Validate(), "identical duplicates")
	twice := chartOf(Plain, setWidget(), setWidget(formatted))
	twice.Members[0].File, twice.Members[1].File, twice.Members[1].Line = "a.yaml", "b.yaml", 7
	require.EqualError(t, twice.Validate(),
		"CustomResourceDefinition widgets.example.com is defined twice with different specs: in a.yaml and in b.yaml:7; remove one of them")
	nameless := chartOf(Plain, setWidget())
	nameless.Members[0].CRD.Name = ""
	require.EqualError(t, nameless.Validate(), "chart: a CustomResourceDefinition has no metadata.name")
}

func TestCompareSets_IgnoresOrder(t *testing.T) {
	gadget, tool := setDefinition("gadgets", "example.com", "Gadget"), setDefinition("tools", "example.com", "Tool")
	first := Compare(chartOf(Template, setWidget(), gadget, tool), Set{Chart: true}, compare.Options{})
	require.Len(t, first.Findings, 3)
	for range 100 {
		require.Equal(t, first, Compare(chartOf(Template, tool, setWidget(), gadget), Set{Chart: true}, compare.Options{}))
	}
}
