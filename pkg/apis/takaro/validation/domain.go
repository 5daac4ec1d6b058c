// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

const (
	// MaxNameLength is how long metadata.name of a Domain may be: names of its Secrets are made from it.
	MaxNameLength = 200
	// GeneratedReferencePrefix starts every reference that Roadstead makes itself; users may not type it.
	GeneratedReferencePrefix = "roadstead:"
)

// ValidateDomain returns every error of a new Domain.
func ValidateDomain(domain *takaro.Domain) field.ErrorList {
	errs := validateObjectName(domain.Name, MaxNameLength, field.NewPath("metadata", "name"))
	return append(errs, validateDomainSpec(&domain.Spec, field.NewPath("spec"))...)
}

// ValidateDomainUpdate returns every error of a changed Domain.
func ValidateDomainUpdate(domain, old *takaro.Domain) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validateDomainSpec(&domain.Spec, spec)
	if domain.Spec.Adopt && !old.Spec.Adopt && domain.Spec.DeletionPolicy != takaro.DeletionPolicyRetain {
		errs = append(errs, field.Invalid(spec.Child("deletionPolicy"), domain.Spec.DeletionPolicy,
			"must be Retain in the change that turns on spec.adopt, so that a domain made by others is not deleted by oversight; it may be changed afterwards"))
	}
	return errs
}

// ValidateDomainStatus returns every error of a changed status.
func ValidateDomainStatus(domain, _ *takaro.Domain) field.ErrorList {
	status, path := &domain.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateStatusReference(status.RegistrationTokenSecretRef, path.Child("registrationTokenSecretRef"))...)
	errs = append(errs, validateStatusReference(status.RootCredentialsSecretRef, path.Child("rootCredentialsSecretRef"))...)
	return append(errs, validateStatusTexts(path, map[string]string{
		"phase": string(status.Phase), "domainId": status.DomainID, "externalReferenceId": status.ExternalReferenceID,
	})...)
}

func validateDomainSpec(spec *takaro.DomainSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if spec.TakaroAPIURL != "" { // required by a tag
		errs = append(errs, validateURL(spec.TakaroAPIURL, path.Child("takaroApiUrl"), "http", "https")...)
	}
	if spec.ConnectorURL != "" {
		errs = append(errs, validateURL(spec.ConnectorURL, path.Child("connectorUrl"), "ws", "wss")...)
	}
	errs = append(errs, validateSecretKey(spec.CredentialsSecretRef, path.Child("credentialsSecretRef"))...)
	errs = append(errs, validateSecretKey(spec.CABundleSecretRef, path.Child("caBundleSecretRef"))...)
	errs = append(errs, validateReference(spec, path)...)
	if spec.MaintenanceMode && spec.Disabled {
		errs = append(errs, field.Invalid(path.Child("disabled"), true,
			"may not be true together with spec.maintenanceMode: a Takaro domain is in one state at a time"))
	}
	return errs
}

func validateReference(spec *takaro.DomainSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	reference := path.Child("externalReferenceId")
	if strings.HasPrefix(spec.ExternalReferenceID, GeneratedReferencePrefix) {
		errs = append(errs, field.Invalid(reference, spec.ExternalReferenceID,
			fmt.Sprintf("may not start with %q: such references are made by Roadstead", GeneratedReferencePrefix)))
	}
	if spec.ExternalReferenceID == "null" {
		errs = append(errs, field.Invalid(reference, spec.ExternalReferenceID, "means \"has none\" to Takaro: choose another one"))
	}
	if spec.Adopt && spec.ExternalReferenceID == "" {
		errs = append(errs, field.Required(reference, "spec.adopt needs the reference of the domain to take over"))
	}
	return errs
}

// validateObjectName is stricter than the generic server, which only excludes what would break a URL path.
func validateObjectName(name string, limit int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSSubdomain(name, false) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	if len(name) > limit {
		errs = append(errs, field.TooLong(path, "", limit))
	}
	return errs
}
