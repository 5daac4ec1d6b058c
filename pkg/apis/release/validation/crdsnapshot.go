// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// ValidateCRDSnapshot validates a CRDSnapshot. Only the size and the name of the CRD are
// validated, because a cluster, possibly of a newer version, has already accepted the CRD.
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

// ValidateCRDSnapshotUpdate validates an update of a CRDSnapshot.
func ValidateCRDSnapshotUpdate(snapshot, _ *release.CRDSnapshot) field.ErrorList {
	return ValidateCRDSnapshot(snapshot)
}
