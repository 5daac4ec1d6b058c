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

// Bounds of what no tag bounds. Every replica keeps every object in memory, so whoever may write one must not be able to make
// it as large as a request may be. Those of the status are far above what the controller writes: a status that is refused
// would stop it.
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

// validateLocalReference checks the name of an object in the same namespace.
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

// maxObjectName is the longest name of an object. What is longer is not repeated in the error.
const maxObjectName = 253

// validateResourceList bounds names and number; quantities are bounded by their type.
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

// validateConditions checks the conditions of a status.
func validateConditions(conditions []metav1.Condition, path *field.Path) field.ErrorList {
	if len(conditions) > maxConditions {
		return field.ErrorList{field.TooMany(path, len(conditions), maxConditions)}
	}
	errs := metav1validation.ValidateConditions(conditions, path)
	for _, err := range errs {
		// The library marks them as covered by declarative validation too, which ours leaves to this function: marked, each
		// would be logged as a disagreement of the two.
		err.CoveredByDeclarative = false
	}
	return errs
}

// validateStatusTexts bounds texts that come from Takaro, by the names of their fields.
func validateStatusTexts(path *field.Path, texts map[string]string) field.ErrorList {
	var errs field.ErrorList
	for name, text := range texts {
		if utf8.RuneCountInString(text) > maxStatusText {
			errs = append(errs, field.TooLong(path.Child(name), "", maxStatusText))
		}
	}
	return errs
}

// validateStatusReference bounds the name of an object that the controller made.
func validateStatusReference(ref *takaro.LocalObjectReference, path *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return validateStatusTexts(path, map[string]string{"name": ref.Name})
}

// validateOwnership bounds a ledger.
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
