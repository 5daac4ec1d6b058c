// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// MaxMockServerNameLength is the maximum length of metadata.name of a MockServer. The names of
// its pods and their revision labels, which have at most 63 characters, are derived from it.
const MaxMockServerNameLength = 52

// ValidateMockServer validates a new MockServer.
func ValidateMockServer(server *takaro.MockServer) field.ErrorList {
	errs := validateObjectName(server.Name, MaxMockServerNameLength, field.NewPath("metadata", "name"))
	if ref := server.Spec.DomainRef; ref != nil && ref.Name != "" {
		// The field is immutable, so only new objects are validated.
		errs = append(errs, validateLocalReference(*ref, field.NewPath("spec", "domainRef"))...)
	}
	if reference := server.Spec.ExternalReferenceID; strings.HasPrefix(reference, AnchorReferencePrefix) {
		errs = append(errs, validateTypedReference(reference, field.NewPath("spec", "externalReferenceId"))...)
	}
	errs = append(errs, validateAuthority(authorityOfMockServer(server), authority{}, field.NewPath("spec"))...)
	return append(errs, validateMockServerSpec(&server.Spec, field.NewPath("spec"))...)
}

// ValidateMockServerUpdate validates an update of a MockServer.
func ValidateMockServerUpdate(server, old *takaro.MockServer) field.ErrorList {
	spec := field.NewPath("spec")
	errs := validateAuthority(authorityOfMockServer(server), authorityOfMockServer(old), spec)
	return append(errs, validateMockServerSpec(&server.Spec, spec)...)
}

// authorityOfMockServer returns an empty authority for a MockServer with a domainRef, because the
// token and the CA of the Domain are used.
func authorityOfMockServer(server *takaro.MockServer) authority {
	if server.Spec.DomainRef != nil {
		return authority{}
	}
	return authority{credentials: server.Spec.CredentialsSecretRef, ca: server.Spec.CABundleSecretRef}
}

// ValidateMockServerStatus validates an update of the status.
func ValidateMockServerStatus(server, _ *takaro.MockServer) field.ErrorList {
	status, path := &server.Status, field.NewPath("status")
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	errs = append(errs, validateOwnership(status.Ownership, path.Child("ownership"))...)
	errs = append(errs, validateGameServers(status.GameServers, path.Child("gameServers"))...)
	return append(errs, validateStatusTexts(path, map[string]string{"phase": string(status.Phase), "selector": status.Selector})...)
}

func validateGameServers(servers []takaro.MockGameServer, path *field.Path) field.ErrorList {
	if len(servers) > maxGameServers {
		return field.ErrorList{field.TooMany(path, len(servers), maxGameServers)}
	}
	var errs field.ErrorList
	for i, server := range servers {
		errs = append(errs, validateStatusTexts(path.Index(i), map[string]string{"name": server.Name, "id": server.ID})...)
	}
	return errs
}

func validateMockServerSpec(spec *takaro.MockServerSpec, path *field.Path) field.ErrorList {
	errs := validateMockServerDomain(spec, path)
	if spec.TakaroAPIURL != "" {
		errs = append(errs, validateURL(spec.TakaroAPIURL, path.Child("takaroApiUrl"), "http", "https")...)
	}
	if spec.ConnectorURL != "" {
		errs = append(errs, validateURL(spec.ConnectorURL, path.Child("connectorUrl"), "ws", "wss")...)
	}
	errs = append(errs, validateSecretKey(spec.CredentialsSecretRef, path.Child("credentialsSecretRef"))...)
	errs = append(errs, validateSecretKey(spec.CABundleSecretRef, path.Child("caBundleSecretRef"))...)
	if redis := spec.Redis; redis != nil {
		errs = append(errs, validateRedis(redis, path.Child("redis"))...)
	}
	return append(errs, validatePodFields(spec, path)...)
}

// validateMockServerDomain requires exactly one reference to a domain, and rejects fields that
// are valid only for a domain without a Domain object.
func validateMockServerDomain(spec *takaro.MockServerSpec, path *field.Path) field.ErrorList {
	switch {
	case spec.DomainRef == nil && spec.ExternalReferenceID == "":
		return field.ErrorList{field.Required(path.Child("domainRef"), "exactly one of spec.domainRef and spec.externalReferenceId must be set")}
	case spec.DomainRef != nil && spec.ExternalReferenceID != "":
		return field.ErrorList{field.Forbidden(path.Child("externalReferenceId"), "may not be set together with spec.domainRef")}
	case spec.DomainRef != nil:
		var errs field.ErrorList
		for _, extra := range []struct {
			name string
			set  bool
		}{
			{"takaroApiUrl", spec.TakaroAPIURL != ""},
			{"connectorUrl", spec.ConnectorURL != ""},
			{"credentialsSecretRef", spec.CredentialsSecretRef != nil},
			{"caBundleSecretRef", spec.CABundleSecretRef != nil},
		} {
			if extra.set {
				errs = append(errs, field.Forbidden(path.Child(extra.name), "is the Domain's when spec.domainRef is set"))
			}
		}
		if spec.DomainRef.Name == "" {
			errs = append(errs, field.Required(path.Child("domainRef", "name"), ""))
		}
		return errs
	case spec.TakaroAPIURL == "":
		return field.ErrorList{field.Required(path.Child("takaroApiUrl"), "needed with spec.externalReferenceId")}
	}
	return nil
}

func validateRedis(redis *takaro.MockServerRedis, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if redis.Host != "" && len(validation.IsDNS1123Subdomain(redis.Host)) > 0 && len(validation.IsValidIP(path, redis.Host)) > 0 {
		errs = append(errs, field.Invalid(path.Child("host"), redis.Host, "must be a host name or an IP address"))
	}
	return append(errs, validateSecretKey(redis.PasswordSecretRef, path.Child("passwordSecretRef"))...)
}

// validatePodFields rejects values that the validation of the StatefulSet would reject, so that
// users see the error when they apply the MockServer.
func validatePodFields(spec *takaro.MockServerSpec, path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector"))
	for i, ref := range spec.ImagePullSecrets {
		for _, problem := range validation.IsDNS1123Subdomain(ref.Name) {
			errs = append(errs, field.Invalid(path.Child("imagePullSecrets").Index(i).Child("name"), ref.Name, problem))
		}
	}
	errs = append(errs, validateResources(&spec.Resources, path.Child("resources"))...)
	for i, toleration := range spec.Tolerations {
		errs = append(errs, validateToleration(toleration, path.Child("tolerations").Index(i))...)
	}
	return errs
}

func validateResources(resources *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	errs := validateResourceList(resources.Limits, path.Child("limits"))
	errs = append(errs, validateResourceList(resources.Requests, path.Child("requests"))...)
	if len(errs) > 0 {
		return errs
	}
	for name, quantity := range resources.Limits {
		if quantity.Sign() < 0 {
			errs = append(errs, field.Invalid(path.Child("limits").Key(string(name)), quantity.String(), "must not be negative"))
		}
	}
	for name, request := range resources.Requests {
		key := path.Child("requests").Key(string(name))
		if request.Sign() < 0 {
			errs = append(errs, field.Invalid(key, request.String(), "must not be negative"))
		}
		if limit, ok := resources.Limits[name]; ok && request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(key, request.String(), "must not be greater than the limit of "+limit.String()))
		}
	}
	if len(resources.Claims) > 0 {
		errs = append(errs, field.Forbidden(path.Child("claims"), "is not supported"))
	}
	return errs
}

func validateToleration(toleration corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if toleration.Key != "" {
		errs = append(errs, metav1validation.ValidateLabelName(toleration.Key, path.Child("key"))...)
	}
	for _, problem := range validation.IsValidLabelValue(toleration.Value) {
		errs = append(errs, field.Invalid(path.Child("value"), toleration.Value, problem))
	}
	switch toleration.Operator {
	case "", corev1.TolerationOpEqual:
		if toleration.Key == "" {
			errs = append(errs, field.Required(path.Child("key"), "needed unless operator is Exists"))
		}
	case corev1.TolerationOpExists:
		if toleration.Value != "" {
			errs = append(errs, field.Invalid(path.Child("value"), toleration.Value, "must be empty when operator is Exists"))
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("operator"), toleration.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual,
			corev1.TolerationOpExists}))
	}
	switch toleration.Effect {
	case "", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
	default:
		errs = append(errs, field.NotSupported(path.Child("effect"), toleration.Effect,
			[]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}))
	}
	return errs
}
