// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// server processes objects of one version like the API server, using its packages.
type server struct {
	structural *structuralschema.Structural
	strategy   interface {
		Validate(context.Context, runtime.Object) field.ErrorList
		ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
	}
	converter managedfields.TypeConverter
}

func internalDefinition(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	status := manifest.LiveStatus(definition)
	definition = manifest.Defaulted(definition)
	definition.Status = status
	internal := &apiextensions.CustomResourceDefinition{}
	require.NoError(t, apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, internal,
		nil))
	return internal
}

func newServer(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) *server {
	t.Helper()
	version := definition.Spec.Versions[0]
	internal := &apiextensions.CustomResourceValidation{}
	require.NoError(t,
		apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema.DeepCopy(), internal, nil))
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	require.NoError(t, err)
	validator, _, err := apiservervalidation.NewSchemaValidator(internal.OpenAPIV3Schema)
	require.NoError(t, err)
	openAPI, err := builder.BuildOpenAPIV3(definition, version.Name, builder.Options{})
	require.NoError(t, err)
	converter, err := managedfields.NewTypeConverter(openAPI.Components.Schemas, false)
	require.NoError(t, err)
	kind := (&unstructured.Unstructured{Object: map[string]any{"apiVersion": definition.Spec.Group + "/" + version.Name,
		"kind": definition.Spec.Names.Kind}}).GroupVersionKind()
	return &server{
		structural: structural, converter: converter,
		strategy: customresource.NewStrategy(nil, true, kind, validator, nil, structural, nil, nil, nil),
	}
}

// object returns a sample object with the fields that every object has.
func (s *server) object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	content := map[string]any{}
	require.NoError(t, json.Unmarshal(encoded, &content))
	content["apiVersion"], content["kind"] = "example.com/v1", "Test"
	content["metadata"] = map[string]any{"name": "sample", "namespace": "default", "uid": "u", "resourceVersion": "1",
		"creationTimestamp": "2026-01-01T00:00:00Z"}
	encoded, err = json.Marshal(content)
	require.NoError(t, err)
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON(encoded))
	return object
}

// read decodes an object like the API server.
func (s *server) read(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = object.DeepCopy()
	defaulting.Default(object.Object, s.structural)
	pruning.Prune(object.Object, s.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, s.structural)
	return object
}

func (s *server) create(object *unstructured.Unstructured) error {
	return s.strategy.Validate(context.Background(), s.read(object)).ToAggregate()
}

// update validates a change of a stored object.
func (s *server) update(stored *unstructured.Unstructured, change func(*unstructured.Unstructured)) error {
	old := s.read(stored)
	new := old.DeepCopy()
	change(new)
	return s.strategy.ValidateUpdate(context.Background(), s.read(new), old).ToAggregate()
}

func (s *server) apply(object *unstructured.Unstructured) error {
	_, err := s.converter.ObjectToTyped(object)
	return err
}

func relabel(object *unstructured.Unstructured) { object.SetLabels(map[string]string{"new": "label"}) }

func editSibling(object *unstructured.Unstructured) {
	spec, _ := object.Object["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
		object.Object["spec"] = spec
	}
	spec["other"] = "changed"
}

func outcome(err error) string {
	if err != nil {
		return "rejected"
	}
	return "ok"
}

// difference describes how a value is read differently: removed fields take precedence over added ones.
func difference(before, after any) string {
	switch before := before.(type) {
	case map[string]any:
		if after, ok := after.(map[string]any); ok {
			found := []string{}
			for key, value := range before {
				now, there := after[key]
				switch {
				case there:
					found = append(found, difference(value, now))
				case value == nil:
					found = append(found, "dropped")
				default:
					found = append(found, "pruned")
				}
			}
			if len(after) > len(before) {
				found = append(found, "defaulted")
			}
			return worst(found)
		}
	case []any:
		if after, ok := after.([]any); ok && len(after) == len(before) {
			found := []string{}
			for i := range before {
				found = append(found, difference(before[i], after[i]))
			}
			return worst(found)
		}
	}
	if reflect.DeepEqual(before, after) {
		return "same"
	}
	return "defaulted"
}

func worst(found []string) string {
	for _, kind := range []string{"pruned", "dropped", "defaulted"} {
		if slices.Contains(found, kind) {
			return kind
		}
	}
	return "same"
}

func TestRules_Effects(t *testing.T) {
	measured := 0
	for _, rule := range rules.All {
		if rule.Object == "" {
			continue
		}
		measured++
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			before, after := newServer(t, old), newServer(t, new)
			require.NoError(t, before.create(before.object(t, rule.Object)), "the sample is not valid before the change")
			stored := before.read(before.object(t, rule.Object))

			want := rule.Effects
			assert.Equal(t, want.Read, difference(stored.Object, after.read(stored).Object), "read")
			assertOutcome(t, want.Create, after.create(stored), "create")
			assertOutcome(t, want.MetadataUpdate, after.update(stored, relabel), "metadata update")
			assertOutcome(t, want.SiblingUpdate, after.update(stored, editSibling), "sibling update")
			assertOutcome(t, want.Apply, after.apply(stored), "apply")
		})
	}
	require.Greater(t, measured, 120)
}

func assertOutcome(t *testing.T, want string, err error, what string) {
	t.Helper()
	assert.Equal(t, want, outcome(err), "%s: %v", what, err)
}

func TestRules_RollbackEffects(t *testing.T) {
	measured := 0
	for _, rule := range rules.All {
		if rule.After == "" {
			continue
		}
		measured++
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			before, after := newServer(t, old), newServer(t, new)
			require.NoError(t, after.create(after.object(t, rule.After)), "the sample is not valid after the change")
			written := after.read(after.object(t, rule.After))

			var found []string
			if difference(written.Object, before.read(written).Object) != "same" {
				found = append(found, "pruned")
			}
			if before.create(written) != nil {
				found = append(found, "rejected")
			}
			if before.update(written, relabel) != nil {
				found = []string{"bricked"}
			}
			assert.Equal(t, rule.Effects.Rollback, strings.Join(found, " or "))
		})
	}
	require.Greater(t, measured, 30)
}

// updateDefinition validates an update of a CRD like the API server. The old side must be valid.
func updateDefinition(t *testing.T, old, new *apiextensionsv1.CustomResourceDefinition) error {
	t.Helper()
	ctx := context.Background()
	internalOld := internalDefinition(t, old)
	created := internalOld.DeepCopy()
	created.ResourceVersion, created.Status = "", apiextensions.CustomResourceDefinitionStatus{StoredVersions: created.Status.StoredVersions}
	require.NoError(t, validation.ValidateCustomResourceDefinition(ctx, created).ToAggregate(), "the old side of the example")

	internalNew := internalDefinition(t, new)
	internalNew.Status = internalOld.Status
	for _, version := range internalNew.Spec.Versions {
		if version.Storage {
			internalNew.Status.StoredVersions = manifest.WithVersion(internalOld.Status.StoredVersions, version.Name)
		}
	}
	return validation.ValidateCustomResourceDefinitionUpdate(ctx, internalNew, internalOld).ToAggregate()
}

// TestRules_Refused checks that the API server rejects exactly the changes with the verdict Refused.
func TestRules_Refused(t *testing.T) {
	for _, rule := range rules.All {
		if rule.Scope == rules.InCluster || rule.ID == "803" { // The old side of 803 can only be created by servers before Kubernetes 1.22.
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			err = updateDefinition(t, old, new)
			assert.Equal(t, rule.Verdict == rules.Refused, err != nil, "the API server says %v", err)
		})
	}
}
