// SPDX-License-Identifier: Apache-2.0

package crdsnapshot

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/common"
)

// newKind describes CRDSnapshot to the shared strategies. It is a record without a status, and too large for a cache.
func newKind(scheme *runtime.Scheme) generic.Kind[*release.CRDSnapshot] {
	return generic.Kind[*release.CRDSnapshot]{
		Scheme:         scheme,
		Resource:       release.Resource("crdsnapshots"),
		Singular:       release.Resource("crdsnapshot"),
		Versions:       []schema.GroupVersion{v1alpha1.SchemeGroupVersion},
		ClusterScoped:  true,
		Uncategorized:  true,
		Uncached:       true,
		Halves:         generic.HalvesOf(func(s *release.CRDSnapshot) (*release.CRDSnapshotSpec, *struct{}) { return &s.Spec, &struct{}{} }),
		NewList:        generic.NewList[release.CRDSnapshotList],
		Prepare:        prepare,
		ValidateCreate: validation.ValidateCRDSnapshot,
		ValidateUpdate: validation.ValidateCRDSnapshotUpdate,
		Columns:        columns,
	}
}

// prepare keeps the stored definition where it is only spelt in another way, and drops the copy of the whole manifest that
// client-side apply makes, which may be larger than annotations may be.
func prepare(snapshot, old *release.CRDSnapshot) {
	var stored runtime.RawExtension
	if old != nil {
		stored = old.Spec.Definition
	}
	snapshot.Spec.Definition = common.JSON(snapshot.Spec.Definition, stored, validation.SameDefinition)
	common.DropApplied(snapshot, old)
}

var columns = []generic.Column[*release.CRDSnapshot]{
	{Name: "Generation", Type: "integer", Description: "Generation of the definition.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.Generation }},
	{Name: "Policy", Description: "Value of the annotation roadstead.dev/crd-policy.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.Policy }},
	{Name: "Allowed Change", Wide: true, Description: "Value of the annotation roadstead.dev/allow-change.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.AllowChange }},
	{Name: "CRD UID", Wide: true, Description: "UID of the definition.", Cell: func(s *release.CRDSnapshot) any { return s.Spec.UID }},
}

// NewREST returns the storage of CRDSnapshots.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter) (*generic.REST, error) {
	main, _, err := generic.NewStore(newKind(scheme), getter)
	return main, err
}
