// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"net/mail"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Limits of a password that Takaro's login accepts. Takaro also creates users with other passwords,
// but these users cannot log in.
const (
	MinPasswordLength = 8
	MaxPasswordLength = 50
)

// Limits of the name of a role in Takaro.
const (
	minRoleLength = 3
	maxRoleLength = 20
)

// systemRoles are the built-in roles of Takaro, which cannot be assigned.
var systemRoles = []string{"Player", "User"}

// ValidateUser validates a new User.
func ValidateUser(user *takaro.User) field.ErrorList {
	errs := validateObjectName(user.Name, MaxNameLength, field.NewPath("metadata", "name"))
	// The field is immutable, so only new objects are validated.
	errs = append(errs, validateLocalReference(user.Spec.DomainRef, field.NewPath("spec", "domainRef"))...)
	return append(errs, validateUserSpec(&user.Spec, field.NewPath("spec"))...)
}

// ValidateUserUpdate validates an update of a User.
func ValidateUserUpdate(user, old *takaro.User) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validateUserSpec(&user.Spec, spec)
	if user.Spec.Adopt && !old.Spec.Adopt && user.Spec.DeletionPolicy != takaro.UserDeletionPolicyRetain {
		errs = append(errs, mustRetain(spec, string(user.Spec.DeletionPolicy)))
	}
	return errs
}

// ValidateUserStatus validates an update of the status.
func ValidateUserStatus(user, _ *takaro.User) field.ErrorList {
	status, path := &user.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateOwnership(status.Ownership, path.Child("ownership"))...)
	errs = append(errs, validateStatusReference(status.CredentialsSecretRef, path.Child("credentialsSecretRef"))...)
	errs = append(errs, validateStatusRoles(status.Roles, path.Child("roles"))...)
	errs = append(errs, validateStatusRoles(status.MissingRoles, path.Child("missingRoles"))...)
	return append(errs, validateStatusTexts(path, map[string]string{"phase": string(status.Phase), "userId": status.UserID})...)
}

func validateUserSpec(spec *takaro.UserSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if spec.Email != "" && !isAddress(spec.Email) {
		errs = append(errs, field.Invalid(path.Child("email"), spec.Email, "must be an e-mail address such as name@example.com"))
	}
	errs = append(errs, validateRoles(spec.Roles, path.Child("roles"))...)
	errs = append(errs, validateSecretKey(spec.PasswordSecretRef, path.Child("passwordSecretRef"))...)
	return append(errs, validatePassword(spec, path)...)
}

// isAddress reports whether the text is an e-mail address without a display name.
func isAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}

func validateRoles(roles []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, role := range roles {
		switch length := utf8.RuneCountInString(role); {
		case length < minRoleLength || length > maxRoleLength:
			errs = append(errs, field.Invalid(path.Index(i), role, fmt.Sprintf("must have %d to %d characters", minRoleLength, maxRoleLength)))
		case slices.Contains(systemRoles, role):
			errs = append(errs, field.Invalid(path.Index(i), role, "is Takaro's own and cannot be assigned"))
		}
	}
	return errs
}

// validatePassword validates the password. Errors never repeat its value.
func validatePassword(spec *takaro.UserSpec, path *field.Path) field.ErrorList {
	if spec.Password == nil {
		return nil
	}
	password := path.Child("password")
	if spec.PasswordSecretRef != nil {
		return field.ErrorList{field.Forbidden(password, "may not be set together with spec.passwordSecretRef")}
	}
	if length := utf8.RuneCountInString(string(*spec.Password)); length < MinPasswordLength || length > MaxPasswordLength {
		return field.ErrorList{field.Invalid(password, "<hidden>",
			fmt.Sprintf("must have %d to %d characters, or Takaro's login does not take it; leave it out to have one generated",
				MinPasswordLength, MaxPasswordLength))}
	}
	return nil
}
