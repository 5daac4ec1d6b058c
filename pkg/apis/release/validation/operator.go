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
	// MaxReleaseName is the maximum length of the name of a Helm release.
	MaxReleaseName = 53
	// MaxValues is the maximum size of Helm values, in bytes of JSON.
	MaxValues = 256 << 10
)

// environments are the supported environments of a cluster.
var environments = []string{"Development", "Staging", "Production"}

// ValidateOperator validates a new Operator.
func ValidateOperator(operator *release.Operator) field.ErrorList {
	errs := validateObjectName(operator.Name, field.NewPath("metadata", "name"))
	errs = append(errs, validateOperatorUsers(operator)...)
	return append(errs, validateOperatorSpec(&operator.Spec, field.NewPath("spec"))...)
}

// ValidateOperatorUpdate validates an update of an Operator. Markers cover immutable fields.
func ValidateOperatorUpdate(operator, _ *release.Operator) field.ErrorList {
	return append(validateOperatorUsers(operator), validateOperatorSpec(&operator.Spec, field.NewPath("spec"))...)
}

// ValidateOperatorStatus validates an update of the status.
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
	if spec.Values != nil && len(spec.Values.Raw) > 0 { // null has no content
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
	if chart.Repository != "" { // a marker requires it
		errs = validateRepository(chart.Repository, path.Child("repository"))
	}
	if chart.Name != "" { // a marker requires it
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

// validateReleaseName applies the same rules as Helm. The name is empty only if the name of the
// object is not a valid default.
func validateReleaseName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, fmt.Sprintf("metadata.name cannot be the name of the Helm release, which may have "+
			"%d characters at most: choose one", MaxReleaseName))}
	}
	if len(name) > MaxReleaseName {
		return nil // a marker limits the length
	}
	var errs field.ErrorList
	for _, problem := range validation.IsDNS1123Subdomain(name) {
		errs = append(errs, field.Invalid(path, name, problem))
	}
	return errs
}

// shortened truncates a value that is repeated in an error.
func shortened(value string) string { return text.Characters(value, 100) }
