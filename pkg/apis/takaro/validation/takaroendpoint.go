// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// ValidateTakaroEndpoint validates a new TakaroEndpoint. Its spec is immutable.
func ValidateTakaroEndpoint(endpoint *takaro.TakaroEndpoint) field.ErrorList {
	errs := validateObjectName(endpoint.Name, MaxNameLength, field.NewPath("metadata", "name"))
	if endpoint.Spec.URL == "" {
		return errs // a marker requires it
	}
	return append(errs, validateURL(endpoint.Spec.URL, field.NewPath("spec", "url"), "http", "https")...)
}

// ValidateTakaroEndpointStatus validates an update of the status.
func ValidateTakaroEndpointStatus(endpoint, _ *takaro.TakaroEndpoint) field.ErrorList {
	status, path := &endpoint.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateStatusTexts(path, map[string]string{"installation": status.Installation})...)
	if anchor := status.Anchor; anchor != nil {
		errs = append(errs, validateStatusTexts(path.Child("anchor"), map[string]string{"id": anchor.ID, "heldBy": anchor.HeldBy})...)
	}
	left := path.Child("left")
	if len(status.Left) > maxLeft {
		return append(errs, field.TooMany(left, len(status.Left), maxLeft))
	}
	for i, one := range status.Left {
		errs = append(errs, validateStatusTexts(left.Index(i), map[string]string{"id": one.ID, "object": one.Object})...)
	}
	holds := path.Child("holds")
	if len(status.Holds) > maxHolds {
		return append(errs, field.TooMany(holds, len(status.Holds), maxHolds))
	}
	for i, hold := range status.Holds {
		errs = append(errs, validateHold(hold, holds.Index(i))...)
	}
	return errs
}

func validateHold(hold takaro.Hold, path *field.Path) field.ErrorList {
	errs := validateStatusTexts(path, map[string]string{"type": string(hold.Type), "token": hold.Token})
	for name, list := range map[string][]string{"names": hold.Names, "released": hold.Released} {
		at := path.Child(name)
		if len(list) > maxReleased {
			errs = append(errs, field.TooMany(at, len(list), maxReleased))
			continue
		}
		for i, text := range list {
			if utf8.RuneCountInString(text) > maxStatusText {
				errs = append(errs, field.TooLong(at.Index(i), "", maxStatusText))
			}
		}
	}
	return errs
}
