// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// widgets returns a CRD whose version v1 has a spec with the properties (YAML, in flow style or
// unindented lines). Edits are applied in order.
func widgets(t testing.TB, properties string,
	edits ...func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	schema := &apiextensionsv1.JSONSchemaProps{}
	require.NoError(t, yaml.UnmarshalStrict([]byte("type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      "+
		strings.ReplaceAll(strings.TrimSpace(properties), "\n", "\n      ")+"\n"), schema))
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}},
	}
	for _, edit := range edits {
		edit(crd)
	}
	return crd
}

func withSecondVersion(crd *apiextensionsv1.CustomResourceDefinition) {
	second := *crd.Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v2", false
	second.AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "x", Type: "string", JSONPath: ".spec.x"}}
	crd.Spec.Versions = append(crd.Spec.Versions, second)
}

func storedIn(versions ...string) func(*apiextensionsv1.CustomResourceDefinition) {
	return func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Status.StoredVersions = versions }
}

func pass1(old, new *apiextensionsv1.CustomResourceDefinition, options Options) []rules.Finding {
	c := newComparison(old, new, options)
	c.refused()
	return rules.NewReport(c.Found...).Findings
}

func TestRefused_Rules(t *testing.T) {
	type edit = func(*apiextensionsv1.CustomResourceDefinition)
	version := func(change func(*apiextensionsv1.CustomResourceDefinitionVersion)) edit {
		return func(crd *apiextensionsv1.CustomResourceDefinition) { change(&crd.Spec.Versions[0]) }
	}
	cases := map[string]struct {
		old, new         string
		oldEdit, newEdit edit
		code             string
		at               rules.Place
		says             string
	}{
		"scope": {newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Scope = apiextensionsv1.ClusterScoped },
			code: "CRD-D01", at: rules.Place{Path: "spec.scope"}, says: "from Namespaced to Cluster"},
		"group": {newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Group = "example.org" },
			code: "CRD-D02", at: rules.Place{Path: "spec.group"}, says: "from example.com to example.org"},
		"kind": {newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Names.Kind = "Gadget" },
			code: "CRD-D03", at: rules.Place{Path: "spec.names.kind"}, says: "from Widget to Gadget"},
		"plural": {newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Names.Plural = "widgetry" },
			code: "CRD-D05", at: rules.Place{Path: "spec.names.plural"}, says: "from widgets to widgetry"},
		"a version that objects are stored in": {
			oldEdit: func(crd *apiextensionsv1.CustomResourceDefinition) {
				withSecondVersion(crd)
				crd.Status.StoredVersions = []string{"v1", "v2"}
			},
			newEdit: func(*apiextensionsv1.CustomResourceDefinition) {}, code: "CRD-E02", at: rules.Place{Version: "v2",
				Path: "status.storedVersions"}, says: "objects may be stored in it"},
		"a replaced storage version": {newEdit: version(func(v *apiextensionsv1.CustomResourceDefinitionVersion) { v.Name = "v2" }),
			code: "CRD-E03", at: rules.Place{Version: "v1", Path: "status.storedVersions"}, says: "all objects are stored in it"},
		"no schema": {newEdit: version(func(v *apiextensionsv1.CustomResourceDefinitionVersion) { v.Schema = nil }),
			code: "CRD-E15", at: rules.Place{Version: "v1", Path: wholeSchema}, says: "v1 without a schema"},
		"an empty schema": {newEdit: version(func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
			v.Schema = &apiextensionsv1.CustomResourceValidation{}
		}), code: "CRD-E15", at: rules.Place{Version: "v1", Path: wholeSchema}, says: "v1 without a schema"},
		"unique items": {old: "l: {type: array, items: {type: string}}", new: "l: {type: array, uniqueItems: true, items: {type: string}}",
			code: "CRD-417", at: rules.Place{Version: "v1", Path: ".spec.l"}, says: "quadratic"},
		"unique items deep down": {old: "m: {type: object, additionalProperties: {type: array, items: {type: array, items: {type: string}}}}",
			new:  "m: {type: object, additionalProperties: {type: array, items: {type: array, uniqueItems: true, items: {type: string}}}}",
			code: "CRD-417", at: rules.Place{Version: "v1", Path: ".spec.m.*[*]"}, says: "quadratic"},
		"a default that the schema rejects": {old: "f: {type: string, default: b, enum: [a, b]}", new: "f: {type: string, default: b, enum: [a]}",
			code: "CRD-608", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "default is not one of the supported values"},
		"a default with a field that is not declared": {old: "f: {type: object, properties: {a: {type: string}}}",
			new:  "f: {type: object, properties: {a: {type: string}}, default: {b: x}}",
			code: "CRD-608", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "unknown fields"},
		"a default that is wrong inside": {old: "f: {type: object, properties: {a: {type: string}}}",
			new:  "f: {type: object, properties: {a: {type: string, maxLength: 1}}, default: {a: xy}}",
			code: "CRD-608", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "default.a is too long"},
		"a key of a map list that may be absent": {
			old: "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], " +
				"properties: {k: {type: string}}}}",
			new: "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: " +
				"{type: string}}}}",
			code: "CRD-908", at: rules.Place{Version: "v1", Path: ".spec.l[*].k"}, says: "must have a default or be a required property"},
		"a key of a map list that is not a field": {
			old: "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], " +
				"properties: {k: {type: string}}}}",
			new: "l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {j: " +
				"{type: string}}}}",
			code: "CRD-908", at: rules.Place{Version: "v1", Path: ".spec.l"}, says: "names of item properties"},
		"a removed selectable field": {old: "f: {type: string}\ng: {type: string}", new: "g: {type: string}",
			oldEdit: version(func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
				v.SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.f"}}
			}),
			newEdit: version(func(v *apiextensionsv1.CustomResourceDefinitionVersion) {
				v.SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.f"}}
			}),
			code: "CRD-D16", at: rules.Place{Version: "v1", Path: "spec.versions[*].selectableFields[0].jsonPath"},
			says: "does not refer to a valid field"},
		"a rule that costs too much": {
			old:  "l: {type: array, maxItems: 5, items: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: self.contains(self)}]}}",
			new:  "l: {type: array, items: {type: string, x-kubernetes-validations: [{rule: self.contains(self)}]}}",
			code: "CRD-A10", at: rules.Place{Version: "v1", Path: ".spec.l[*]"}, says: "rule is too costly"},
		"a rule that does not compile": {old: "f: {type: string}", new: "f: {type: string, x-kubernetes-validations: [{rule: self.nothing > 1}]}",
			code: "CRD-X02", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "compilation failed"},
		"a schema that is not structural": {old: "f: {type: string}", new: "f: {maxLength: 3}",
			code: "CRD-X01", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "type is missing"},
		"an invalid pattern": {old: "f: {type: string}", new: "f: {type: string, pattern: '('}",
			code: "CRD-X01", at: rules.Place{Version: "v1", Path: ".spec.f"}, says: "must be a valid regular expression"},
		"an invalid webhook configuration": {newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{ConversionReviewVersions: []string{"v1"},
					ClientConfig: &apiextensionsv1.WebhookClientConfig{}}}
		}, code: "CRD-X01", at: rules.Place{Path: "spec.conversion.webhook.clientConfig"}, says: "exactly one of url or service is required"},
		"preserveUnknownFields": {
			newEdit: func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.PreserveUnknownFields = true },
			code:    "CRD-X01", at: rules.Place{Path: "spec.preserveUnknownFields"}, says: "cannot set to true"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.old == "" {
				c.old, c.new = "f: {type: string}", "f: {type: string}"
			}
			old, new := widgets(t, c.old), widgets(t, c.new)
			if c.oldEdit != nil {
				c.oldEdit(old)
			}
			if c.newEdit != nil {
				c.newEdit(new)
			}
			findings := pass1(old, new, Options{})
			for _, finding := range findings {
				if finding.Code == c.code && finding.Path == c.at.Path && finding.Version == c.at.Version {
					assert.Equal(t, rules.Refused, finding.Verdict)
					assert.Equal(t, "widgets.example.com", finding.CRD)
					assert.Contains(t, finding.Message, c.says)
					assert.NotContains(t, finding.Message, "\n")
					assert.Empty(t, pass1(new, new, Options{}), "a CRD compared with itself")
					return
				}
			}
			assert.Failf(t, "the refusal is missing", "wanted %s at %v in %+v", c.code, c.at, findings)
		})
	}
}

func TestRefused_AcceptedChanges(t *testing.T) {
	old := widgets(t, "f: {type: string}\ng: {type: integer}")
	assert.Empty(t, pass1(old, widgets(t, "f: {type: string, maxLength: 3, default: abc}"), Options{}))
	assert.Empty(t, pass1(old, widgets(t, "f: {type: string}\ng: {type: integer}", withSecondVersion), Options{}))
	assert.Empty(t, pass1(widgets(t, "f: {type: string}", withSecondVersion, storedIn("v1")), widgets(t, "f: {type: string}"), Options{}))
}

func TestRefused_IgnoresExistingErrors(t *testing.T) {
	const wrong = "l: {type: array, uniqueItems: true, items: {type: string}}\n"
	assert.Empty(t, pass1(widgets(t, wrong+"f: {type: string}"), widgets(t, wrong+"f: {type: string, maxLength: 3}"), Options{}))
	assert.Empty(t, pass1(widgets(t, wrong+"f: {type: string}"), widgets(t, wrong+"f: {type: string, maxLength: 3}", withSecondVersion,
		func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Versions[1].Schema = widgets(t, "f: {type: string}").Spec.Versions[0].Schema
		}), Options{}), "the server uses another field path if there are several versions")

	both := pass1(widgets(t, wrong+"f: {type: string}"), widgets(t, wrong+"f: {type: array, uniqueItems: true, items: {type: string}}"),
		Options{})
	require.Len(t, both, 1)
	assert.Equal(t, ".spec.f", both[0].Path)
}

func TestRefused_NotEstablished(t *testing.T) {
	old := widgets(t, "f: {type: string}", storedIn("v1"))
	findings := pass1(old, widgets(t, "f: {type: string}", func(crd *apiextensionsv1.CustomResourceDefinition) {
		crd.Spec.Scope, crd.Spec.Names.Kind = apiextensionsv1.ClusterScoped, "Gadget"
	}), Options{})
	require.Len(t, findings, 2)
	for i, path := range []string{"spec.names.kind", "spec.scope"} {
		assert.Equal(t, "CRD-D20", findings[i].Code)
		assert.Equal(t, rules.Destructive, findings[i].Verdict)
		assert.Equal(t, path, findings[i].Path)
	}
}

func TestRefused_DoesNotPanic(t *testing.T) {
	deep := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range 2 * manifest.DeepestSchema {
		deep = &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"p": *deep}}
	}
	old := widgets(t, "f: {type: string}")
	odd := map[string]*apiextensionsv1.JSONSchemaProps{
		"nothing": {},
		"items of nothing": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "array",
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{}}}},
		"map list of nothing": {Type: "array", XListType: new("map"), XListMapKeys: []string{"k"},
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{}},
		"several schemas of items": {Type: "array",
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{{}, {}}}},
		"values of nothing": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{}},
		"empty junctors":    {Type: "object", AllOf: []apiextensionsv1.JSONSchemaProps{{}}, Not: &apiextensionsv1.JSONSchemaProps{}},
		"a default that is not JSON": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Default: &apiextensionsv1.JSON{Raw: []byte("{")}}}},
		"deep": deep,
	}
	for name, schema := range odd {
		t.Run(name, func(t *testing.T) {
			new := old.DeepCopy()
			new.Spec.Versions[0].Schema.OpenAPIV3Schema = schema
			assert.NotPanics(t, func() { pass1(old, new, Options{}); pass1(new, old, Options{}) })
		})
	}
	new := old.DeepCopy()
	new.Spec.Versions[0].Schema.OpenAPIV3Schema = deep
	findings := pass1(old, new, Options{})
	require.Len(t, findings, 1)
	assert.Equal(t, "CRD-X01", findings[0].Code)
	assert.Contains(t, findings[0].Message, "deeper than 500 levels")
	new.Spec.Versions = nil
	assert.NotEmpty(t, pass1(old, new, Options{}))
}

func TestOlderServer_UnsupportedFeatures(t *testing.T) {
	old := widgets(t, "f: {type: string}")
	selectable := widgets(t, "f: {type: string}", func(crd *apiextensionsv1.CustomResourceDefinition) {
		crd.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.f"}}
	})
	named := widgets(t, "f: {type: string, format: k8s-short-name}")
	optional := widgets(t, "f: {type: string, x-kubernetes-validations: [{rule: '!oldSelf.hasValue() || self == oldSelf.value()', "+
		"optionalOldSelf: true}]}")
	cases := []struct {
		new           *apiextensionsv1.CustomResourceDefinition
		before, since string
		path          string
	}{
		{selectable, "1.30", "v1.31.4", "spec.versions[*].selectableFields"},
		{named, "1.33", "1.34", ".spec.f"},
		{optional, "1.29", "1.30", ".spec.f"},
	}
	for _, c := range cases {
		findings := pass1(old, c.new, Options{TargetVersion: c.before})
		require.Len(t, findings, 1, c.path)
		assert.Equal(t, "CRD-S10", findings[0].Code)
		assert.Equal(t, rules.Review, findings[0].Verdict)
		assert.Equal(t, c.path, findings[0].Path)
		assert.Contains(t, findings[0].Message, "Kubernetes "+c.before+" does not support")
		assert.Empty(t, pass1(old, c.new, Options{TargetVersion: c.since}))
		more := c.new.DeepCopy()
		more.Spec.Names.ShortNames = []string{"wg"}
		assert.Empty(t, pass1(c.new, more, Options{TargetVersion: c.before}), "features that were used before")
	}
}

func TestUnratcheted(t *testing.T) {
	old, new := widgets(t, "f: {type: string}"), widgets(t, "f: {type: string, maxLength: 3}")
	for target, want := range map[string]int{"1.29": 1, "1.30": 0, "": 0} {
		c := newComparison(old, new, Options{TargetVersion: target})
		c.Find("401", rules.Place{Version: "v1", Path: ".spec.f"}, nil, 3, "longer values")
		c.unratcheted()
		assert.Len(t, c.Found, 1+want, target)
	}
}

func TestPlaceOf_UnusualNames(t *testing.T) {
	crd := widgets(t, "f: {type: string}")
	for path, want := range map[string]string{
		"spec.validation.openAPIV3Schema.properties[a.b].items.properties[c]d].default[0].x":                ".a.b[*].c]d default[0].x",
		"spec.versions[0].schema.openAPIV3Schema.properties[properties].properties[items].allOf[2].pattern": ".properties.items pattern",
		"spec.validation.openAPIV3Schema.properties[spec]." +
			"additionalProperties.x-kubernetes-validations[1].rule": ".spec.* x-kubernetes-validations[1].rule",
		"spec.versions[0].additionalPrinterColumns[3].JSONPath": "spec.versions[*].additionalPrinterColumns[3].jsonPath ",
		"spec.versions[9].schema.openAPIV3Schema.properties[":   " properties",
		"": " ",
	} {
		at, keyword := placeOf(path, crd)
		assert.Equal(t, want, fmt.Sprintf("%s %s", at.Path, keyword), path)
	}
}

func TestCompare_SkipRefusal(t *testing.T) {
	old := widgets(t, "x: {type: string}\ny: {type: string}")
	new := widgets(t, "x: {type: string, x-kubernetes-validations: [{rule: self.nosuch() > 1}]}")
	report := Compare(old, new, Options{})
	assert.Equal(t, rules.Refused, report.Verdict)
	assert.Equal(t, Digest(old, new), report.Digest)
	report = Compare(old, new, Options{SkipRefusal: true, SkipDigest: true})
	assert.Equal(t, rules.Destructive, report.Verdict, "the removed field")
	assert.Empty(t, report.Digest)

	deep := "z: " + strings.Repeat("{type: object, properties: {z: ", 600) + "{type: string}" + strings.Repeat("}}", 600)
	report = Compare(old, widgets(t, deep), Options{SkipRefusal: true})
	assert.Equal(t, rules.Refused, report.Verdict, "a schema that is too deep is not compared")
}
