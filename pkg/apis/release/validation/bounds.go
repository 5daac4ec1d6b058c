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

// Bounds of what no tag bounds. Those of the status are at least what the server and the controllers write: a status that is
// refused would stop them.
const (
	// MaxFindings is how many findings a status keeps.
	MaxFindings = 50
	// MaxSchemas is how many definitions a version of an operator may bring.
	MaxSchemas    = 50
	maxConditions = 32
	maxStatusText = 1024
	maxNameLength = 253
	// maxUser bounds the name of a user, which comes from the cluster's authentication.
	maxUser = 4096
)

// validateConditions checks the conditions of a status.
func validateConditions(conditions []metav1.Condition, path *field.Path) field.ErrorList {
	if len(conditions) > maxConditions {
		return field.ErrorList{field.TooMany(path, len(conditions), maxConditions)}
	}
	errs := metav1validation.ValidateConditions(conditions, path)
	for _, err := range errs {
		// Conditions are opaque to declarative validation here: marked as covered, each would be logged as a disagreement.
		err.CoveredByDeclarative = false
	}
	return errs
}

// validateTexts bounds texts by the names of their fields.
func validateTexts(path *field.Path, limit int, texts map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, text := range texts {
		if utf8.RuneCountInString(text) > limit {
			errs = append(errs, field.TooLong(path.Child(name), "", limit))
		}
	}
	return errs
}

// validateUsers bounds the names of users in a status, by the names of their fields. A name is never cut: whoever requests a
// change must not approve it.
func validateUsers(names map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, user := range names {
		if len(user) > maxUser {
			errs = append(errs, field.TooLong(field.NewPath("status", name), "", maxUser))
		}
	}
	return errs
}

// validateFindings bounds the findings of a status.
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

// validateObjectName is stricter than the generic server, which only excludes what would break a URL path.
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
