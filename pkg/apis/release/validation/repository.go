// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ociScheme is the prefix of addresses of OCI registries.
const ociScheme = "oci://"

var (
	// chartName is the pattern of names that Helm accepts.
	chartName = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)
	// ociComponent is the pattern of one path component of a repository name in the OCI
	// distribution specification.
	ociComponent = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$`)
)

// validateRepository validates the address of a chart repository. Errors do not repeat parts of
// the address that may contain a password.
func validateRepository(raw string, path *field.Path) field.ErrorList {
	if strings.Contains(raw, "@") {
		return field.ErrorList{field.Invalid(path, "<hidden>",
			"must not hold credentials: put them into a Secret and name it in spec.chart.credentialsSecretRef")}
	}
	invalid := func(problem string) field.ErrorList {
		return field.ErrorList{field.Invalid(path, shortened(raw), problem)}
	}
	parsed, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsFunc(raw, func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) || r == '\\'
	}):
		return invalid("must be an address such as https://charts.example.com or oci://registry.example.com/charts")
	case !strings.HasPrefix(raw, "https://") && !strings.HasPrefix(raw, ociScheme):
		return invalid("must start with https:// or oci://")
	case !validHost(parsed):
		return invalid("must name a host")
	case parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(raw, "#"):
		return invalid("must not have a query or fragment")
	}
	if !strings.HasPrefix(raw, ociScheme) || strings.Trim(parsed.Path, "/") == "" {
		return nil
	}
	for _, part := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(parsed.Path, "/"), "/"), "/") {
		if !ociComponent.MatchString(part) || parsed.RawPath != "" {
			return invalid("must be a folder of an OCI registry: lower case letters, digits and single '.', '_' or '-' between them")
		}
	}
	return nil
}

func validHost(address *url.URL) bool {
	host := address.Hostname()
	if port := address.Port(); port != "" {
		if number, err := strconv.Atoi(port); err != nil || len(validation.IsValidPortNum(number)) > 0 {
			return false
		}
	} else if strings.HasSuffix(address.Host, ":") {
		return false
	}
	return len(validation.IsDNS1123Subdomain(strings.ToLower(host))) == 0 || len(validation.IsValidIP(nil, host)) == 0
}

func validateChartName(name string, oci bool, path *field.Path) field.ErrorList {
	switch {
	case oci && !ociComponent.MatchString(name):
		return field.ErrorList{field.Invalid(path, shortened(name),
			"must be the name of a repository in an OCI registry: lower case letters, digits and single '.', '_' or '-' between them")}
	case !chartName.MatchString(name) || strings.Trim(name, ".") == "":
		return field.ErrorList{field.Invalid(path, shortened(name), "must be the name of a chart: letters, digits, '.', '_' and '-'")}
	}
	return nil
}
