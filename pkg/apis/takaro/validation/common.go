// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// validateURL requires an absolute URL with a host, without credentials, query or fragment.
func validateURL(raw string, path *field.Path, schemes ...string) field.ErrorList {
	invalid := func(problem string) field.ErrorList {
		return field.ErrorList{field.Invalid(path, raw, problem)}
	}
	parsed, err := url.Parse(raw)
	if strings.Contains(raw, "@") {
		// The text before @ may be a password, so the error does not repeat it.
		return field.ErrorList{field.Invalid(path, "<hidden>", "must not hold credentials: put them into a Secret")}
	}
	switch {
	case err != nil:
		return invalid("must be a URL such as " + schemes[len(schemes)-1] + "://host:port")
	case !slices.Contains(schemes, strings.ToLower(parsed.Scheme)):
		return invalid("must start with " + strings.Join(schemes, ":// or ") + "://")
	case parsed.Hostname() == "":
		return invalid("must name a host")
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(raw, "#"):
		return invalid("must not have a query or fragment")
	}
	return nil
}

// validateAuthority rejects a CA from the spec together with the installation's credentials,
// because it would allow the author of the spec to choose the server that receives the
// installation's admin token. The stored value, old, may remain unchanged.
func validateAuthority(spec, old authority, path *field.Path) field.ErrorList {
	if !spec.foreign() || old.foreign() && *old.ca == *spec.ca {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("caBundleSecretRef"), "may be set only together with spec.credentialsSecretRef: "+
		"the CA of the installation's endpoint is used with its token")}
}

// authority contains the references of a spec to the admin token and the CA.
type authority struct{ credentials, ca *takaro.SecretKeyReference }

// foreign reports whether the CA is from the spec and the token is not.
func (a authority) foreign() bool { return a.credentials == nil && a.ca != nil }

// validateSecretKey validates the key. A marker covers the name.
func validateSecretKey(ref *takaro.SecretKeyReference, path *field.Path) field.ErrorList {
	if ref == nil || ref.Key == "" {
		return nil
	}
	var errs field.ErrorList
	for _, problem := range validation.IsConfigMapKey(ref.Key) {
		errs = append(errs, field.Invalid(path.Child("key"), ref.Key, problem))
	}
	return errs
}
