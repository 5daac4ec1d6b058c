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

// newKind describes CRDSnapshot to the shared strategies. The kind has no status, and its objects
// are too large for a watch cache.
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

// prepare keeps the stored CRD if the new one is equal except for its encoding, and drops the
// annotation of client-side apply, which may exceed the size limit of annotations.
func prepare(snapshot, old *release.CRDSnapshot) {
	var stored runtime.RawExtension
	if old != nil {
		stored = old.Spec.Definition
	}
	snapshot.Spec.Definition = common.JSON(snapshot.Spec.Definition, stored, validation.SameDefinition)
	common.DropApplied(snapshot, old)
}

var columns = []generic.Column[*release.CRDSnapshot]{
	{Name: "Generation", Type: "integer", Description: "Generation of the CRD.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.Generation }},
	{Name: "Policy", Description: "Value of the annotation roadstead.dev/crd-policy.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.Policy }},
	{Name: "Allowed Change", Wide: true, Description: "Value of the annotation roadstead.dev/allow-change.",
		Cell: func(s *release.CRDSnapshot) any { return s.Spec.AllowChange }},
	{Name: "CRD UID", Wide: true, Description: "UID of the CRD.", Cell: func(s *release.CRDSnapshot) any { return s.Spec.UID }},
}

// NewREST returns the storage of CRDSnapshots.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter) (*generic.REST, error) {
	main, _, err := generic.NewStore(newKind(scheme), getter)
	return main, err
}
