// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// exampleBase returns the CRD that the examples modify.
func exampleBase() *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "tests.example.com", ResourceVersion: "1", UID: "u"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Test", ListKind: "TestList", Plural: "tests", Singular: "test"},
			Scope: apiextensionsv1.NamespaceScoped,
		},
	}
}

// exampleSchema returns the complete schema of a version with the given schema of .spec.
func exampleSchema(spec apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	if spec.Type == "" {
		spec.Type = "object"
	}
	if _, there := spec.Properties["other"]; !there {
		if spec.Properties == nil {
			spec.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		spec.Properties["other"] = text
	}
	return &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"spec":   spec,
		"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"phase": text}},
	}}
}

// exampleDefinitionOf returns the CRD for one side of a rule's example.
func exampleDefinitionOf(scope rules.Scope, text string) (*apiextensionsv1.CustomResourceDefinition, error) {
	definition := exampleBase()
	schema := exampleSchema(apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"f": {Type: "string"}}})
	var example apiextensionsv1.JSONSchemaProps
	var err error
	if scope == rules.InDefinition {
		err = yaml.UnmarshalStrict([]byte(text), definition)
	} else {
		err = yaml.UnmarshalStrict([]byte(text), &example)
	}
	if err != nil {
		return nil, err
	}
	switch scope {
	case rules.InField:
		schema.Properties["spec"].Properties["f"] = example
	case rules.InSpec:
		schema = exampleSchema(example)
	case rules.InRoot:
		example.Type, schema = "object", &example
	case rules.InDefinition:
	default:
		return nil, fmt.Errorf("there are no examples of scope %q", scope)
	}
	if len(definition.Spec.Versions) == 0 {
		definition.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
	}
	for i := range definition.Spec.Versions {
		if version := &definition.Spec.Versions[i]; version.Schema == nil {
			version.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema.DeepCopy()}
		}
	}
	return definition, nil
}

// exampleCRDs returns both CRDs of a rule's example.
func exampleCRDs(rule rules.Rule) (old, new *apiextensionsv1.CustomResourceDefinition, err error) {
	if old, err = exampleDefinitionOf(rule.Scope, rule.Old); err != nil {
		return nil, nil, fmt.Errorf("old: %w", err)
	}
	if new, err = exampleDefinitionOf(rule.Scope, rule.New); err != nil {
		return nil, nil, fmt.Errorf("new: %w", err)
	}
	return old, new, nil
}

// seenAs maps rules to the rules that are reported instead, because only stored objects show the difference.
var seenAs = map[string]string{"CRD-511": "CRD-501"}

// requireFinding returns the worst finding with the code of a rule.
func requireFinding(t *testing.T, report rules.Report, code string) rules.Finding {
	t.Helper()
	for _, finding := range report.Findings {
		if finding.Code == code || finding.Code == seenAs[code] {
			return finding
		}
	}
	require.Failf(t, "the finding is missing", "no %s in %+v", code, report)
	return rules.Finding{}
}

func TestCompare_Examples(t *testing.T) {
	for _, rule := range rules.All {
		if rule.Scope == rules.InCluster {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			report := Compare(old, new, Options{})
			if rule.Verdict == rules.Informational {
				assert.Equal(t, rules.Informational, report.Verdict, "%+v", report.Findings)
				return
			}
			finding := requireFinding(t, report, rule.Code())
			if !rule.Provable {
				assert.Equal(t, rule.Verdict, finding.Verdict)
			}
			assert.True(t, report.Verdict.AtLeast(finding.Verdict), "the report says %s", report.Verdict)
			assert.NotEmpty(t, finding.Message)
			assert.NotEmpty(t, finding.FixHint)
			assert.Equal(t, "tests.example.com", finding.CRD)
			assert.Equal(t, rules.Static, finding.Evidence)
		})
	}
}

func TestReverse_Examples(t *testing.T) {
	for _, rule := range rules.All {
		if rule.Effects.Rollback == "" || rule.Scope == rules.InCluster {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			report := Reverse(old, new, Options{})
			least := rules.Breaking
			if rule.ID == "704" {
				least = rules.Review // a dropped null needs a review in this direction, too
			}
			assert.True(t, report.Verdict.AtLeast(least), "what the new definition allows is %s after a rollback, but the report is %+v",
				rule.Effects.Rollback, report)
		})
	}
}
