// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/common"
)

// newKind describes CRDSchema to the shared strategies. Status, errors and warnings of a new
// CRDSchema are read from the judgement in the context.
func newKind(scheme *runtime.Scheme) generic.Kind[*release.CRDSchema] {
	return generic.Kind[*release.CRDSchema]{
		Scheme:        scheme,
		Resource:      release.Resource("crdschemas"),
		Singular:      release.Resource("crdschema"),
		ShortNames:    []string{"crdschema"},
		Versions:      []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		ClusterScoped: true,
		Uncategorized: true,
		Uncached:      true,
		Halves: generic.HalvesOf(func(s *release.CRDSchema) (*release.CRDSchemaSpec, *release.CRDSchemaStatus) {
			return &s.Spec, &s.Status
		}),
		NewList: generic.NewList[release.CRDSchemaList],
		Prepare: prepare,
		Stamp:   stamp,
		KeepStatus: func(to, stored *release.CRDSchema) {
			to.Status.CreatedBy, to.Status.RequestedBy = stored.Status.CreatedBy, stored.Status.RequestedBy
		},
		ValidateCreate: validation.ValidateCRDSchema,
		Judge:          refusals,
		ValidateUpdate: validation.ValidateCRDSchemaUpdate,
		ValidateStatus: validation.ValidateCRDSchemaStatus,
		Warnings:       warnings,
		Fields: []generic.SelectableField[*release.CRDSchema]{
			{Path: "spec.operatorVersionRef.name", Value: operatorVersion},
			{Path: "status.approval", Value: func(s *release.CRDSchema) string { return string(s.Status.Approval) }},
			{Path: "status.phase", Value: func(s *release.CRDSchema) string { return string(s.Status.Phase) }},
			{Path: "status.crd", Value: func(s *release.CRDSchema) string { return s.Status.CRD }},
		},
		Columns: columns,
	}
}

// prepare keeps the stored CRD if the new one is equal except for its encoding, and drops the
// annotation of client-side apply, which may exceed the size limit of annotations.
func prepare(schema, old *release.CRDSchema) {
	var stored runtime.RawExtension
	if old != nil {
		stored = old.Spec.Definition
	}
	schema.Spec.Definition = common.JSON(schema.Spec.Definition, stored, validation.SameDefinition)
	common.DropApplied(schema, old)
}

// stamp sets the status of a new CRDSchema: the user that created it, the user that requested it,
// and the result of the comparison.
func stamp(ctx context.Context, schema *release.CRDSchema) {
	schema.Status = judgementOf(ctx).status
	schema.Status.CreatedBy = common.Caller(ctx)
	schema.Status.ObservedGeneration = schema.Generation
	for i := range schema.Status.Conditions {
		schema.Status.Conditions[i].ObservedGeneration = schema.Generation
	}
}

// refusals returns the errors of the review of a new CRDSchema. A CRDSchema without a review is
// refused.
func refusals(ctx context.Context, _ *release.CRDSchema) field.ErrorList {
	judged := judgementOf(ctx)
	if !judged.made {
		return field.ErrorList{field.InternalError(definitionPath, errors.New("the CRD was not compared; try again"))}
	}
	return judged.errs
}

// warnings returns the warnings of the review of a new CRDSchema. An update cannot change what was
// reviewed.
func warnings(ctx context.Context, _, old *release.CRDSchema) []string {
	if old != nil {
		return nil
	}
	return judgementOf(ctx).warnings
}

func operatorVersion(s *release.CRDSchema) string {
	if s.Spec.OperatorVersionRef == nil {
		return ""
	}
	return s.Spec.OperatorVersionRef.Name
}
