// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Schema validates objects of one version of a CRD like the API server. It is safe for concurrent use.
type Schema struct {
	kind                  schema.GroupVersionKind
	structural            *structuralschema.Structural
	preserveUnknownFields bool
	resource              strategy
	// status is nil if the version has no status subresource.
	status strategy
	types  managedfields.TypeConverter
}

// strategy is the required subset of the strategies of custom resources.
type strategy interface {
	PrepareForUpdate(ctx context.Context, obj, old runtime.Object)
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
}

// creator is a strategy that also validates the creation of objects.
type creator interface {
	strategy
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
}

// NewSchema returns the Schema of one version of a CRD. The version must have a schema that a server would
// accept. If the server's code panics, NewSchema returns an error.
func NewSchema(definition *apiextensionsv1.CustomResourceDefinition, version string) (made *Schema, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			made, err = nil, fmt.Errorf("load the schema of version %s: %v", version, failure)
		}
	}()
	definition = definition.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Name == version {
			return newSchema(definition, &definition.Spec.Versions[i])
		}
	}
	return nil, fmt.Errorf("version %s does not exist", version)
}

func newSchema(definition *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion) (*Schema,
	error) {
	made := &Schema{
		kind:                  schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind},
		preserveUnknownFields: definition.Spec.PreserveUnknownFields,
	}
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("version %s has no schema", version.Name)
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema,
		internal, nil); err != nil {
		return nil, fmt.Errorf("convert the schema of version %s: %w", version.Name, err)
	}
	var err error
	if made.structural, err = structuralOf(internal.OpenAPIV3Schema, made.preserveUnknownFields); err != nil {
		return nil, fmt.Errorf("schema of version %s is not structural: %w", version.Name, err)
	}
	if err := made.addStrategies(definition, version, internal.OpenAPIV3Schema); err != nil {
		return nil, fmt.Errorf("build the validators of version %s: %w", version.Name, err)
	}
	if made.types, err = typesOf(definition, version.Name); err != nil {
		return nil, fmt.Errorf("build the types of version %s for server-side apply: %w", version.Name, err)
	}
	return made, nil
}

// structuralOf returns the schema in the form that is used to prune and default objects.
func structuralOf(internal *apiextensions.JSONSchemaProps, preserveUnknownFields bool) (*structuralschema.Structural, error) {
	structural, err := structuralschema.NewStructural(internal)
	if err != nil || preserveUnknownFields {
		return structural, err
	}
	structural = structural.DeepCopy()
	return structural, defaulting.PruneDefaults(structural)
}

func (s *Schema) addStrategies(definition *apiextensionsv1.CustomResourceDefinition,
	version *apiextensionsv1.CustomResourceDefinitionVersion, internal *apiextensions.JSONSchemaProps) error {
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	var statusValidator validation.SchemaValidator
	if sub := version.Subresources; sub != nil && sub.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
		if schema, ok := internal.Properties["status"]; ok {
			if statusValidator, _, err = validation.NewSchemaValidator(&schema); err != nil {
				return err
			}
		}
	}
	if sub := version.Subresources; sub != nil && sub.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{}
		if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(sub.Scale,
			scale, nil); err != nil {
			return err
		}
	}
	resource := customresource.NewStrategy(nil, definition.Spec.Scope == apiextensionsv1.NamespaceScoped, s.kind, validator, statusValidator,
		s.structural, status, scale, version.SelectableFields)
	s.resource = resource
	if status != nil {
		s.status = customresource.NewStatusStrategy(resource)
	}
	return nil
}

// typesOf returns the types of a version for server-side apply.
func typesOf(definition *apiextensionsv1.CustomResourceDefinition, version string) (managedfields.TypeConverter, error) {
	spec, err := builder.BuildOpenAPIV3(definition, version, builder.Options{})
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(spec.Components.Schemas, definition.Spec.PreserveUnknownFields)
}
