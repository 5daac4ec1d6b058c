// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Limits of fields that have no marker for a limit. Every replica keeps every object in memory, so
// the size of an object must be limited to less than the size of a request. The limits in the
// status are far above what the controller writes, because it could not continue if a status was
// rejected.
const (
	maxConditions    = 32
	maxGameServers   = 1000
	maxStatusRoles   = 200
	maxStatusText    = 1024
	maxResourceNames = 32
	maxRecords       = 1200
	maxFacts         = 16
	maxLeft          = 1000
	maxHolds         = 8
	maxReleased      = 1000
)

// validateLocalReference validates the name of an object in the same namespace.
func validateLocalReference(ref takaro.LocalObjectReference, path *field.Path) field.ErrorList {
	name := path.Child("name")
	if ref.Name == "" {
		return field.ErrorList{field.Required(name, "")}
	}
	if len(ref.Name) > maxObjectName {
		return field.ErrorList{field.TooLong(name, "", maxObjectName)}
	}
	var errs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSSubdomain(ref.Name, false) {
		errs = append(errs, field.Invalid(name, ref.Name, problem))
	}
	return errs
}

// maxObjectName is the maximum length of an object name. Errors do not repeat a longer name.
const maxObjectName = 253

// validateResourceList limits the names and their number. The type of quantities limits their
// values.
func validateResourceList(list corev1.ResourceList, path *field.Path) field.ErrorList {
	if len(list) > maxResourceNames {
		return field.ErrorList{field.TooMany(path, len(list), maxResourceNames)}
	}
	var errs field.ErrorList
	for name := range list {
		errs = append(errs, metav1validation.ValidateLabelName(string(name), path)...)
	}
	return errs
}

// validateConditions validates the conditions of a status.
func validateConditions(conditions []metav1.Condition, path *field.Path) field.ErrorList {
	if len(conditions) > maxConditions {
		return field.ErrorList{field.TooMany(path, len(conditions), maxConditions)}
	}
	errs := metav1validation.ValidateConditions(conditions, path)
	for _, err := range errs {
		// The library marks its errors as covered by declarative validation, but in Roadstead only
		// this function validates conditions. Marked errors would be logged as mismatches.
		err.CoveredByDeclarative = false
	}
	return errs
}

// validateStatusTexts limits the length of texts from Takaro, which are keyed by the names of
// their fields.
func validateStatusTexts(path *field.Path, texts map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, text := range texts {
		if utf8.RuneCountInString(text) > maxStatusText {
			errs = append(errs, field.TooLong(path.Child(name), "", maxStatusText))
		}
	}
	return errs
}

// validateStatusReference limits the name of an object that the controller created.
func validateStatusReference(ref *takaro.LocalObjectReference, path *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return validateStatusTexts(path, map[string]string{"name": ref.Name})
}

// validateOwnership limits the size of a ledger.
func validateOwnership(status *ownership.Status, path *field.Path) field.ErrorList {
	if status == nil {
		return nil
	}
	records := path.Child("records")
	if len(status.Records) > maxRecords {
		return field.ErrorList{field.TooMany(records, len(status.Records), maxRecords)}
	}
	var errs field.ErrorList
	for i, r := range status.Records {
		errs = append(errs, validateStatusTexts(records.Index(i), map[string]string{
			"kind": r.Kind, "id": r.ID, "key": r.Key, "parent": r.Parent, "state": string(r.State), "origin": string(r.Origin),
		})...)
	}
	facts := path.Child("facts")
	if len(status.Facts) > maxFacts {
		return append(errs, field.TooMany(facts, len(status.Facts), maxFacts))
	}
	for name, hash := range status.Facts {
		if len(name) > maxStatusText {
			return append(errs, field.TooLong(facts, "", maxStatusText))
		}
		errs = append(errs, validateStatusTexts(facts, map[string]string{name: hash})...)
	}
	return errs
}

func validateStatusRoles(roles []string, path *field.Path) field.ErrorList {
	if len(roles) > maxStatusRoles {
		return field.ErrorList{field.TooMany(path, len(roles), maxStatusRoles)}
	}
	var errs field.ErrorList
	for i, role := range roles {
		if utf8.RuneCountInString(role) > maxStatusText {
			errs = append(errs, field.TooLong(path.Index(i), "", maxStatusText))
		}
	}
	return errs
}
