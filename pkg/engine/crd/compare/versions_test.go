// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// multi returns a CRD with versions: name, flags (s: served, S: stored) and schema of .spec.
func multi(t *testing.T, versions ...[3]string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition, _ := publishedPair(t, "000")
	template := definition.Spec.Versions[0]
	definition.Spec.Versions, definition.Status.StoredVersions = nil, nil
	for _, v := range versions {
		version := *template.DeepCopy()
		version.Name, version.Served, version.Storage = v[0], false, false
		for _, flag := range v[1] {
			version.Served, version.Storage = version.Served || flag == 's', version.Storage || flag == 'S'
		}
		var schema apiextensionsv1.JSONSchemaProps
		require.NoError(t, yaml.UnmarshalStrict([]byte(v[2]), &schema))
		version.Schema.OpenAPIV3Schema.Properties["spec"] = schema
		definition.Spec.Versions = append(definition.Spec.Versions, version)
		if version.Storage {
			definition.Status.StoredVersions = []string{version.Name}
		}
	}
	return definition
}

func convertByWebhook(definition *apiextensionsv1.CustomResourceDefinition) {
	definition.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Namespace: "n", Name: "s"}},
			ConversionReviewVersions: []string{"v1"},
		},
	}
}

func TestVersions(t *testing.T) {
	const f, fg, none = `{type: object, properties: {f: {type: string}}}`,
		`{type: object, properties: {f: {type: string}, g: {type: string}}}`, `{type: object, properties: {}}`
	type versions [][3]string
	for _, tc := range []struct {
		name     string
		old, new versions
		webhook  [2]bool
		verdict  rules.Verdict
		code     string
	}{
		{name: "an unserved version changes", old: versions{{"v1", "sS", f}, {"v1alpha1", "", f}}, new: versions{{"v1", "sS", f},
			{"v1alpha1", "", none}}, verdict: rules.Informational, code: "E24"},
		{name: "an unserved version is added", old: versions{{"v1", "sS", f}}, new: versions{{"v1", "sS", f}, {"v2", "", f}},
			verdict: rules.Informational, code: "E06"},
		{name: "an unserved version is removed", old: versions{{"v1", "sS", f}, {"v1alpha1", "", f}}, new: versions{{"v1", "sS", f}},
			verdict: rules.Review, code: "E01"},
		{name: "a version is added that is not preferred", old: versions{{"v1", "sS", f}}, new: versions{{"v1", "sS", f}, {"v1beta1", "s", f}},
			verdict: rules.Safe, code: "E06"},
		{name: "a version is served again that lacks a field", old: versions{{"v1", "sS", f}, {"v2", "", none}}, new: versions{{"v1", "sS", f},
			{"v2", "s", none}}, verdict: rules.Destructive, code: "E07"},
		{name: "a version is served again and loses a field", old: versions{{"v1", "sS", f}, {"v2", "", f}}, new: versions{{"v1", "sS", f},
			{"v2", "s", none}}, verdict: rules.Destructive, code: "E07"},
		{name: "a version is served again", old: versions{{"v1", "sS", f}, {"v2", "", f}}, new: versions{{"v1", "sS", f}, {"v2", "s", f}},
			verdict: rules.Review, code: "E05"},
		{name: "storage moves to an equal version", old: versions{{"v1", "sS", f}, {"v2", "s", f}}, new: versions{{"v1", "s", f},
			{"v2", "sS", f}}, verdict: rules.Review, code: "E26"},
		{name: "storage moves to a version that lacks a field", old: versions{{"v1", "sS", f}, {"v2", "s", none}}, new: versions{{"v1", "s", f},
			{"v2", "sS", none}}, verdict: rules.Destructive, code: "E17"},
		{name: "storage moves to a version that lacks a field, with a webhook",
			old: versions{{"v1", "sS", f}, {"v2", "s", none}}, new: versions{{"v1", "s", f}, {"v2", "sS", none}},
			webhook: [2]bool{true, true}, verdict: rules.Review, code: "E26"},
		{name: "a field is added to the version that is not stored",
			old: versions{{"v1", "sS", f}, {"v2", "s", f}}, new: versions{{"v1", "sS", f},
				{"v2", "s", fg}}, verdict: rules.Review, code: "E21"},
		{name: "a field is added to the stored version only", old: versions{{"v1", "sS", f}, {"v2", "s", f}}, new: versions{{"v1", "sS", fg},
			{"v2", "s", f}}, verdict: rules.Review, code: "E21"},
		{name: "a field is added to both versions",
			old: versions{{"v1", "sS", f}, {"v2", "s", f}}, new: versions{{"v1", "sS", fg}, {"v2", "s", fg}},
			verdict: rules.Safe, code: "120"},
		{name: "a version is added that has more fields", old: versions{{"v1", "sS", f}}, new: versions{{"v1", "sS", f}, {"v2", "s", fg}},
			verdict: rules.Review, code: "E21"},
		{name: "a stricter version is added", old: versions{{"v1", "sS", f}}, new: versions{{"v1", "sS", f},
			{"v2", "s", `{type: object, properties: {f: {type: string, maxLength: 3}}}`}}, verdict: rules.Review, code: "E09"},
		{name: "the webhook is removed and the schemas are equal", old: versions{{"v1", "sS", f}, {"v2", "s", f}}, new: versions{{"v1", "sS", f},
			{"v2", "s", f}}, webhook: [2]bool{true, false}, verdict: rules.Review, code: "E10"},
		{name: "pairs that differed before are not reported", old: versions{{"v1", "sS", f}, {"v2", "s", none}}, new: versions{{"v1", "sS", f},
			{"v2", "s", none}}, verdict: rules.Informational},
		{name: "pairs that differed before are reported when the webhook is removed",
			old: versions{{"v1", "sS", f}, {"v2", "s", none}}, new: versions{{"v1", "sS", f},
				{"v2", "s", none}}, webhook: [2]bool{true, false}, verdict: rules.Destructive, code: "E10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old, new := multi(t, tc.old...), multi(t, tc.new...)
			if tc.webhook[0] {
				convertByWebhook(old)
			}
			if tc.webhook[1] {
				convertByWebhook(new)
			}
			report := Compare(old, new, Options{})
			requireVerdict(t, tc.verdict, report)
			codes := []string{}
			for _, finding := range report.Findings {
				codes = append(codes, finding.Code)
			}
			if tc.code == "" {
				require.Empty(t, codes)
				return
			}
			require.Contains(t, codes, "CRD-"+tc.code)
		})
	}
}

func TestDigest_IgnoresCABundle(t *testing.T) {
	old, _ := publishedPair(t, "E12")
	new := old.DeepCopy()
	new.Spec.Conversion.Webhook.ClientConfig.CABundle = nil
	require.Empty(t, Compare(old, new, Options{}).Findings)
	require.Equal(t, Digest(old, old), Digest(old, new))
	new.Spec.Conversion.Webhook.ClientConfig.Service.Port = ptr.To[int32](443)
	require.Equal(t, Digest(old, old), Digest(old, new), "defaults are not a change")
	new.Spec.Conversion.Webhook.ClientConfig.Service.Port = ptr.To[int32](8443)
	require.NotEqual(t, Digest(old, old), Digest(old, new))
}

func TestCompare_StatusAddedWithSubresource(t *testing.T) {
	new, _ := publishedPair(t, "000")
	old := new.DeepCopy()
	old.Spec.Versions[0].Subresources = nil
	delete(old.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "status")
	status := new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
	status.Required = []string{"phase"}
	new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"] = status
	requireVerdict(t, rules.Safe, Compare(old, new, Options{}))

	new.Spec.Versions[0].Schema.OpenAPIV3Schema.XPreserveUnknownFields = ptr.To(true)
	old.Spec.Versions[0].Schema.OpenAPIV3Schema.XPreserveUnknownFields = ptr.To(true)
	require.True(t, Compare(old, new, Options{}).Verdict.Breaks(), "clients may depend on a status that was kept without validation")
}

func TestReverse(t *testing.T) {
	old, new := publishedPair(t, "302")
	require.Equal(t, rules.Review, Compare(old, new, Options{}).Verdict)
	require.Equal(t, rules.Breaking, Reverse(old, new, Options{}).Verdict, "objects with the added value become invalid")
	old, new = multi(t, [3]string{"v1", "sS", "{type: object}"}), multi(t, [3]string{"v1", "s", "{type: object}"},
		[3]string{"v2", "sS", "{type: object}"})
	require.Equal(t, []string{"v1"}, old.Status.StoredVersions)
	back := Reverse(old, new, Options{})
	require.True(t, back.Verdict.Breaks(), "v2 is one of the stored versions: %v", back)
}
