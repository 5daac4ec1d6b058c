// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/semver"
	"roadstead.dev/roadstead/pkg/util/text"
)

const (
	// MaxReleaseName is the longest name of a Helm release.
	MaxReleaseName = 53
	// MaxValues is how large Helm values may be, in bytes of JSON.
	MaxValues = 256 << 10
)

// environments are those that a cluster may belong to.
var environments = []string{"Development", "Staging", "Production"}

// ValidateOperator returns every error of a new Operator.
func ValidateOperator(operator *release.Operator) field.ErrorList {
	errs := validateObjectName(operator.Name, field.NewPath("metadata", "name"))
	errs = append(errs, validateOperatorUsers(operator)...)
	return append(errs, validateOperatorSpec(&operator.Spec, field.NewPath("spec"))...)
}

// ValidateOperatorUpdate returns every error of a changed Operator; immutable fields are tags.
func ValidateOperatorUpdate(operator, _ *release.Operator) field.ErrorList {
	return append(validateOperatorUsers(operator), validateOperatorSpec(&operator.Spec, field.NewPath("spec"))...)
}

// ValidateOperatorStatus returns every error of a changed status.
func ValidateOperatorStatus(operator, _ *release.Operator) field.ErrorList {
	status, path := &operator.Status, field.NewPath("status")
	errs := append(validateConditions(status.Conditions, path.Child("conditions")), validateOperatorUsers(operator)...)
	return append(errs, validateTexts(path, maxStatusText, map[string]string{"phase": string(status.Phase),
		"latestVersion": status.LatestVersion})...)
}

func validateOperatorUsers(operator *release.Operator) field.ErrorList {
	return validateUsers(map[string]string{"changedBy": operator.Status.ChangedBy})
}

func validateOperatorSpec(spec *release.OperatorSpec, path *field.Path) field.ErrorList {
	errs := validateChart(&spec.Chart, path.Child("chart"))
	errs = append(errs, validateReleaseName(spec.ReleaseName, path.Child("releaseName"))...)
	if spec.Values != nil && len(spec.Values.Raw) > 0 { // without content it is null
		errs = append(errs, validateJSONObject(*spec.Values, MaxValues, path.Child("values"))...)
	}
	for i, source := range spec.ValuesFrom {
		if source.SecretRef == nil || source.SecretRef.Key == "" {
			continue
		}
		for _, problem := range validation.IsConfigMapKey(source.SecretRef.Key) {
			errs = append(errs, field.Invalid(path.Child("valuesFrom").Index(i).Child("secretRef", "key"), source.SecretRef.Key, problem))
		}
	}
	return append(errs, validateEnvironmentValues(spec, path.Child("environmentValues"))...)
}

func validateEnvironmentValues(spec *release.OperatorSpec, path *field.Path) field.ErrorList {
	if len(spec.EnvironmentValues) > len(environments) {
		return field.ErrorList{field.TooMany(path, len(spec.EnvironmentValues), len(environments))}
	}
	var errs field.ErrorList
	for name, values := range spec.EnvironmentValues {
		if !slices.Contains(environments, name) {
			errs = append(errs, field.NotSupported(path, shortened(name), environments))
			continue
		}
		errs = append(errs, validateJSONObject(values, MaxValues, path.Key(name))...)
	}
	return errs
}

func validateChart(chart *release.OperatorChart, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if chart.Repository != "" { // required by a tag
		errs = validateRepository(chart.Repository, path.Child("repository"))
	}
	if chart.Name != "" { // required by a tag
		errs = append(errs, validateChartName(chart.Name, strings.HasPrefix(chart.Repository, ociScheme), path.Child("name"))...)
	}
	switch chart.Discover {
	case "", release.DiscoverNone, release.DiscoverAll:
	default:
		if _, err := semver.ParseRange(chart.Discover); err != nil {
			errs = append(errs, field.Invalid(path.Child("discover"), shortened(chart.Discover),
				fmt.Sprintf(`must be None, All or a range of semantic versions such as ">=1.14 <2": %s`, shortened(err.Error()))))
		}
	}
	return errs
}

// validateReleaseName checks a name as Helm does. It is empty only where it could not be made from the object's.
func validateReleaseName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, fmt.Sprintf("metadata.name cannot be the name of the Helm release, which may have "+
			"%d characters at most: choose one", MaxReleaseName))}
	}
	if len(name) > MaxReleaseName {
		return nil // told by a tag
	}
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}

// shortened keeps what is repeated in an error short.
func shortened(value string) string { return text.Characters(value, 100) }
