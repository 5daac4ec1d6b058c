// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"unicode/utf8"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// Limits of fields that have no marker for a limit. A limit in the status is at least what the
// server and the controllers write, because they could not continue if a status was rejected.
const (
	// MaxFindings is the maximum number of findings in a status.
	MaxFindings = 50
	// MaxSchemas is the maximum number of CRDs of a version of an operator.
	MaxSchemas    = 50
	maxConditions = 32
	maxStatusText = 1024
	maxNameLength = 253
	// maxUser is the maximum length of a user name, which the cluster's authentication provides.
	maxUser = 4096
)

// validateConditions validates the conditions of a status.
func validateConditions(conditions []metav1.Condition, path *field.Path) field.ErrorList {
	if len(conditions) > maxConditions {
		return field.ErrorList{field.TooMany(path, len(conditions), maxConditions)}
	}
	errs := metav1validation.ValidateConditions(conditions, path)
	for _, err := range errs {
		// Declarative validation does not cover conditions here. If the error was marked as
		// covered, it would be logged as a mismatch.
		err.CoveredByDeclarative = false
	}
	return errs
}

// validateTexts limits the length of texts, which are keyed by the names of their fields.
func validateTexts(path *field.Path, limit int, texts map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, text := range texts {
		if utf8.RuneCountInString(text) > limit {
			errs = append(errs, field.TooLong(path.Child(name), "", limit))
		}
	}
	return errs
}

// validateUsers limits the length of user names in a status, which are keyed by the names of
// their fields. A name is never truncated, because it is compared with the name of the approver:
// users must not approve their own changes.
func validateUsers(names map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, user := range names {
		if len(user) > maxUser {
			errs = append(errs, field.TooLong(field.NewPath("status", name), "", maxUser))
		}
	}
	return errs
}

// validateFindings limits the findings of a status.
func validateFindings(findings []release.Finding, path *field.Path) field.ErrorList {
	if len(findings) > MaxFindings {
		return field.ErrorList{field.TooMany(path, len(findings), MaxFindings)}
	}
	var errs field.ErrorList
	for i, finding := range findings {
		at := path.Index(i)
		for _, text := range []struct {
			name, value string
			limit       int
		}{
			{"crd", finding.CRD, crdpolicy.MaxCRD}, {"code", finding.Code, crdpolicy.MaxCode},
			{"verdict", string(finding.Verdict), crdpolicy.MaxCode},
			{"version", finding.Version, crdpolicy.MaxVersion}, {"path", finding.Path, crdpolicy.MaxPath},
			{"old", finding.Old, crdpolicy.MaxValue}, {"new", finding.New, crdpolicy.MaxValue},
			{"message", finding.Message, crdpolicy.MaxMessage}, {"hint", finding.Hint, crdpolicy.MaxHint},
		} {
			errs = append(errs, validateTexts(at, text.limit, map[string]string{text.name: text.value})...)
		}
	}
	return errs
}

// validateObjectName is stricter than the generic server, which only rejects names that are
// invalid in a URL path.
func validateObjectName(name string, path *field.Path) field.ErrorList {
	if len(name) > maxNameLength {
		return field.ErrorList{field.TooLong(path, "", maxNameLength)}
	}
	var errs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSSubdomain(name, false) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}
