// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"compress/gzip"
	"fmt"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

const (
	// MaxDefinition is the maximum size of a CRD, in bytes of JSON.
	MaxDefinition = 3 << 20
	// MaxPacked is the maximum size of a CRD in the storage, in bytes after gzip. etcd accepts
	// 1.5 MiB in one request, which must include the rest of the object and the overhead of
	// encryption.
	MaxPacked = 5 << 18
	// MaxReason is the maximum number of characters of the annotation that requests an approval.
	MaxReason = 1024
)

// ValidateCRDSchema validates a new CRDSchema. The name is compared with the CRD only if the CRD
// is valid.
func ValidateCRDSchema(schema *release.CRDSchema) field.ErrorList {
	errs := append(validateReason(schema.Annotations), validateSchemaUsers(schema)...)
	definition, problems := ValidateDefinition(schema.Spec.Definition, field.NewPath("spec", "definition"))
	errs = append(errs, problems...)
	if ref := schema.Spec.OperatorVersionRef; definition != nil && ref != nil && ref.Name != "" {
		return append(errs, validateSchemaName(schema.Name, release.CRDSchemaName(ref.Name, definition.Name))...)
	}
	return append(errs, validateObjectName(schema.Name, field.NewPath("metadata", "name"))...)
}

// ValidateCRDSchemaUpdate validates an update of a CRDSchema. The spec is immutable. Markers
// cover the references in it.
func ValidateCRDSchemaUpdate(schema, old *release.CRDSchema) field.ErrorList {
	errs := validateReason(schema.Annotations)
	if !SameDefinition(schema.Spec.Definition, old.Spec.Definition) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "definition"), field.OmitValueType{},
			"field is immutable: store another definition as a CRDSchema of another name, and let it follow this one by spec.againstRef"))
	}
	return errs
}

// ValidateCRDSchemaStatus validates an update of the status.
func ValidateCRDSchemaStatus(schema, _ *release.CRDSchema) field.ErrorList {
	status, path := &schema.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateFindings(status.Findings, path.Child("findings"))...)
	if against := status.Against; against != nil {
		errs = append(errs, validateTexts(path.Child("against"), maxNameLength, map[string]string{
			"name": against.Name, "uid": against.UID, "digest": against.Digest, "change": against.Change,
		})...)
	}
	errs = append(errs, validateSchemaUsers(schema)...)
	return append(errs, validateTexts(path, maxStatusText, map[string]string{
		"phase": string(status.Phase), "crd": status.CRD, "digest": status.Digest,
		"compatibility": string(status.Compatibility), "approval": string(status.Approval),
	})...)
}

func validateSchemaUsers(schema *release.CRDSchema) field.ErrorList {
	return validateUsers(map[string]string{"createdBy": schema.Status.CreatedBy, "requestedBy": schema.Status.RequestedBy})
}

// ValidateDefinition parses and validates the manifest of a CustomResourceDefinition. It returns
// nil if there are errors.
func ValidateDefinition(content runtime.RawExtension, path *field.Path) (*apiextensionsv1.CustomResourceDefinition, field.ErrorList) {
	if errs := validateSize(content, path); len(errs) > 0 {
		return nil, errs
	}
	definition, err := crdpolicy.Decode(content.Raw)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	return definition, nil
}

// validateSize requires a CRD, and limits its size to what fits into a request and into the
// storage.
func validateSize(content runtime.RawExtension, path *field.Path) field.ErrorList {
	size := len(content.Raw)
	switch packed := packedSize(content.Raw); {
	case size == 0:
		return field.ErrorList{field.Required(path, "the complete manifest of a CustomResourceDefinition")}
	case size > MaxDefinition:
		return field.ErrorList{tooLarge(path, size, MaxDefinition)}
	case packed > MaxPacked:
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf(
			"does not fit into the store: its %d KiB of JSON are %d KiB when compressed, and the store takes %d KiB. Long descriptions "+
				"are what usually fills a definition",
			(size+1023)/1024, (packed+1023)/1024, MaxPacked/1024))}
	}
	return nil
}

// packedSize returns the size of the content in the storage. It does not compress content that
// fits without compression, or that is too large in any case.
func packedSize(content []byte) int {
	if len(content) <= MaxPacked || len(content) > MaxDefinition {
		return len(content)
	}
	var size counter
	writer := gzip.NewWriter(&size)
	if _, err := writer.Write(content); err != nil {
		return len(content)
	}
	if err := writer.Close(); err != nil {
		return len(content)
	}
	return int(size)
}

type counter int

func (c *counter) Write(written []byte) (int, error) {
	*c += counter(len(written))
	return len(written), nil
}

func validateSchemaName(name, want string) field.ErrorList {
	path := field.NewPath("metadata", "name")
	if len(want) > maxNameLength {
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("would have to be the OperatorVersion's name, a dot and the "+
			"definition's name, which is longer than %d characters: choose a shorter name for the Operator", maxNameLength))}
	}
	if name != want {
		return field.ErrorList{field.Invalid(path, name, fmt.Sprintf("must be %q: the name in spec.operatorVersionRef, a dot and the "+
			"name of the definition", want))}
	}
	return validateObjectName(name, path)
}

// validateReason validates the annotation that requests an approval.
func validateReason(annotations map[string]string) field.ErrorList {
	reason, asked := annotations[release.RequestApprovalAnnotation]
	path := field.NewPath("metadata", "annotations").Key(release.RequestApprovalAnnotation)
	switch {
	case !asked:
		return nil
	case strings.TrimSpace(reason) == "":
		return field.ErrorList{field.Required(path, "state why the change is needed: the approvers read it")}
	case utf8.RuneCountInString(reason) > MaxReason:
		return field.ErrorList{field.TooLong(path, "", MaxReason)}
	}
	return nil
}
