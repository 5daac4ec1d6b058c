// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/semver"
)

// ValidateOperatorVersion validates a new OperatorVersion. The spec is immutable, so updates need
// no validation of the spec.
func ValidateOperatorVersion(version *release.OperatorVersion) field.ErrorList {
	spec, path := &version.Spec, field.NewPath("spec")
	errs := append(validateReason(version.Annotations), validateVersionUsers(version)...)
	if spec.ChartVersion != spec.Version {
		errs = append(errs, validateVersion(spec.ChartVersion, path.Child("chartVersion"))...)
	}
	errs = append(errs, validateGuide(spec.MigrationGuide, path.Child("migrationGuide"))...)
	if problems := validateVersion(spec.Version, path.Child("version")); len(problems) > 0 || spec.Version == "" ||
		spec.OperatorRef.Name == "" {
		return append(errs, problems...) // the required name depends on both
	}
	return append(errs, validateVersionName(version)...)
}

// ValidateOperatorVersionUpdate validates an update of an OperatorVersion. The spec is immutable
// through markers.
func ValidateOperatorVersionUpdate(version, _ *release.OperatorVersion) field.ErrorList {
	return validateReason(version.Annotations)
}

// ValidateOperatorVersionStatus validates an update of the status.
func ValidateOperatorVersionStatus(version, _ *release.OperatorVersion) field.ErrorList {
	status, path := &version.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateFindings(status.Findings, path.Child("findings"))...)
	errs = append(errs, validateTexts(path, maxStatusText, map[string]string{
		"phase": string(status.Phase), "chartDigest": status.ChartDigest, "approval": string(status.Approval),
	})...)
	errs = append(errs, validateVersionUsers(version)...)
	if len(status.CRDs) > MaxSchemas {
		return append(errs, field.TooMany(path.Child("crds"), len(status.CRDs), MaxSchemas))
	}
	for i, crd := range status.CRDs {
		errs = append(errs, validateTexts(path.Child("crds").Index(i), maxNameLength, map[string]string{
			"name": crd.Name, "digest": crd.Digest, "compatibility": string(crd.Compatibility),
		})...)
	}
	return errs
}

func validateVersionUsers(version *release.OperatorVersion) field.ErrorList {
	return validateUsers(map[string]string{"createdBy": version.Status.CreatedBy, "requestedBy": version.Status.RequestedBy})
}

// validateVersion requires a semantic version, with or without a leading v. A marker covers an
// empty version.
func validateVersion(version string, path *field.Path) field.ErrorList {
	if version == "" {
		return nil
	}
	if _, err := semver.Parse(version); err != nil {
		return field.ErrorList{field.Invalid(path, shortened(version), "must be a semantic version such as 1.15.0 or v1.15.0-rc.1")}
	}
	return nil
}

func validateGuide(guide string, path *field.Path) field.ErrorList {
	if guide == "" {
		return nil
	}
	parsed, err := url.Parse(guide)
	if strings.Contains(guide, "@") && (err != nil || parsed.User != nil) {
		return field.ErrorList{field.Invalid(path, "<hidden>", "must not hold credentials")}
	}
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" {
		return field.ErrorList{field.Invalid(path, shortened(guide), "must be the address of a page: http:// or https://")}
	}
	return nil
}

// validateVersionName requires the name that follows from the operator and the version, so that
// each version of an operator exists at most once.
func validateVersionName(version *release.OperatorVersion) field.ErrorList {
	want := release.OperatorVersionName(version.Spec.OperatorRef.Name, version.Spec.Version)
	if problems := validation.IsDNS1123Subdomain(want); len(problems) > 0 {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "version"), shortened(version.Spec.Version),
			fmt.Sprintf("the object would have to be called %q, which is no name: %s", shortened(want), problems[0]))}
	}
	if version.Name != want {
		return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), version.Name,
			fmt.Sprintf("must be %q: the operator's name, a hyphen and the version, in lower case and with '+' as '-'", want))}
	}
	return nil
}
