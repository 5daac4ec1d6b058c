// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// ValidateCRDSnapshot returns every error of a CRDSnapshot. A cluster, maybe a newer one, took the definition, so nothing of it
// is judged but its size and its name.
func ValidateCRDSnapshot(snapshot *release.CRDSnapshot) field.ErrorList {
	name, path := field.NewPath("metadata", "name"), field.NewPath("spec", "definition")
	errs := validateObjectName(snapshot.Name, name)
	if problems := validateSize(snapshot.Spec.Definition, path); len(problems) > 0 {
		return append(errs, problems...)
	}
	var definition metav1.PartialObjectMetadata
	if err := kjson.UnmarshalCaseSensitivePreserveInts(snapshot.Spec.Definition.Raw, &definition); err != nil {
		return append(errs, field.Invalid(path, field.OmitValueType{}, "must be the manifest of a CustomResourceDefinition"))
	}
	if snapshot.Name != definition.Name {
		errs = append(errs, field.Invalid(name, snapshot.Name, fmt.Sprintf("must be %q, the name of the definition", shortened(definition.Name))))
	}
	return errs
}

// ValidateCRDSnapshotUpdate returns every error of a changed CRDSnapshot.
func ValidateCRDSnapshotUpdate(snapshot, _ *release.CRDSnapshot) field.ErrorList {
	return ValidateCRDSnapshot(snapshot)
}
