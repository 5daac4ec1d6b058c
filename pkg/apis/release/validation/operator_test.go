// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func operator(change func(*release.OperatorSpec)) *release.Operator {
	operator := &release.Operator{
		ObjectMeta: metav1.ObjectMeta{Name: "cert-manager"},
		Spec: release.OperatorSpec{
			Chart:       release.OperatorChart{Repository: "https://charts.example.com", Name: "cert-manager", Discover: "None"},
			ReleaseName: "cert-manager", Namespace: "cert-manager",
		},
	}
	if change != nil {
		change(&operator.Spec)
	}
	return operator
}

func TestValidateOperator(t *testing.T) {
	repository := func(address string) func(*release.OperatorSpec) {
		return func(s *release.OperatorSpec) { s.Chart.Repository = address }
	}
	chart := func(address, name string) func(*release.OperatorSpec) {
		return func(s *release.OperatorSpec) { s.Chart.Repository, s.Chart.Name = address, name }
	}
	discover := func(what string) func(*release.OperatorSpec) {
		return func(s *release.OperatorSpec) { s.Chart.Discover = what }
	}
	values := func(content string) func(*release.OperatorSpec) {
		return func(s *release.OperatorSpec) { s.Values = &runtime.RawExtension{Raw: []byte(content)} }
	}
	for name, tc := range map[string]struct {
		change func(*release.OperatorSpec)
		want   []string
	}{
		"valid": {nil, nil},
		"everything": {func(s *release.OperatorSpec) {
			s.Chart = release.OperatorChart{Repository: "oci://registry.example.com:5000/team/charts", Name: "my-chart",
				Discover: ">=1.14 <2 || ^3.1"}
			s.Values = &runtime.RawExtension{Raw: []byte(`{"a":{"b":[1,null]}}`)}
			s.ValuesFrom = []release.ValuesSource{{SecretRef: &release.SecretKeyReference{Namespace: "n", Name: "n", Key: "a.b-c_D"}}}
			s.EnvironmentValues = map[string]runtime.RawExtension{"Development": raw(`{}`), "Staging": raw(`{"a":1}`), "Production": raw(`{}`)}
		}, nil},
		"a path and a port":                   {repository("https://charts.example.com:8443/a/b/"), nil},
		"an IP address":                       {repository("https://[2001:db8::1]:8443"), nil},
		"a host without a domain":             {repository("oci://registry/charts"), nil},
		"OCI without a folder":                {repository("oci://registry.example.com"), nil},
		"missing fields are a tag's business": {func(s *release.OperatorSpec) { s.Chart = release.OperatorChart{} }, nil},
		"http": {repository("http://charts.example.com"),
			[]string{"spec.chart.repository: must start with https:// or oci://"}},
		"upper case": {repository("HTTPS://charts.example.com"),
			[]string{"spec.chart.repository: must start with https:// or oci://"}},
		"a file":                         {repository("file:///etc"), []string{"spec.chart.repository: must start with"}},
		"no scheme":                      {repository("charts.example.com"), []string{"spec.chart.repository: must start with"}},
		"no host":                        {repository("https:///path"), []string{"spec.chart.repository: must name a host"}},
		"only a port":                    {repository("https://:443"), []string{"spec.chart.repository: must name a host"}},
		"no port after the colon":        {repository("https://a:"), []string{"spec.chart.repository: must name a host"}},
		"a port that is none":            {repository("https://a:99999"), []string{"spec.chart.repository: must name a host"}},
		"a host that is none":            {repository("https://a_b"), []string{"spec.chart.repository: must name a host"}},
		"not a URL":                      {repository("https://a b"), []string{"spec.chart.repository: must be an address such as"}},
		"a space":                        {repository("https://a/b c"), []string{"spec.chart.repository: must be an address such as"}},
		"a backslash":                    {repository(`https://a/\b`), []string{"spec.chart.repository: must be an address such as"}},
		"query":                          {repository("https://a?"), []string{"spec.chart.repository: must not have a query or fragment"}},
		"fragment":                       {repository("https://a#"), []string{"spec.chart.repository: must not have a query or fragment"}},
		"credentials":                    {repository("https://u:geheim@a"), []string{"spec.chart.repository: must not hold credentials"}},
		"credentials and a wrong scheme": {repository("ftp://u:geheim@a"), []string{"spec.chart.repository: must not hold credentials"}},
		"credentials in what is no URL":  {repository("https://u:geheim@a b"), []string{"spec.chart.repository: must not hold credentials"}},
		"a folder of OCI in upper case":  {repository("oci://a/Charts"), []string{"spec.chart.repository: must be a folder of an OCI registry"}},
		"a way out of the folder":        {repository("oci://a/x/../y"), []string{"spec.chart.repository: must be a folder of an OCI registry"}},
		"an empty part":                  {repository("oci://a/x//y"), []string{"spec.chart.repository: must be a folder of an OCI registry"}},
		"an escaped slash":               {repository("oci://a/x%2fy"), []string{"spec.chart.repository: must be a folder of an OCI registry"}},
		"a tag":                          {repository("oci://a/x:1.0"), []string{"spec.chart.repository: must be a folder of an OCI registry"}},
		"a chart in upper case":          {chart("https://a", "My_Chart.v2"), nil},
		"not in OCI": {chart("oci://a", "My_Chart.v2"),
			[]string{"spec.chart.name: must be the name of a repository in an OCI registry"}},
		"a chart with a slash": {chart("https://a", "a/b"), []string{"spec.chart.name: must be the name of a chart"}},
		"a chart of dots":      {chart("https://a", ".."), []string{"spec.chart.name: must be the name of a chart"}},
		"all versions":         {discover("All"), nil},
		"discover what?":       {discover("Some"), []string{"spec.chart.discover: must be None, All or a range of semantic versions"}},
		"a range that is none": {discover(">=1.x.y"), []string{"spec.chart.discover: must be None, All or a range"}},
		"no release name could be made": {func(s *release.OperatorSpec) { s.ReleaseName = "" },
			[]string{"spec.releaseName: metadata.name cannot be the name of the Helm release, which may have 53 characters at most: choose one"}},
		"a release name that is none": {func(s *release.OperatorSpec) { s.ReleaseName = "A_b" },
			[]string{"spec.releaseName: lowercase RFC 1123 subdomain"}},
		"values that are a list":  {values(`[1]`), []string{"spec.values: must be an object"}},
		"values that are a text":  {values(`"geheim"`), []string{"spec.values: must be an object"}},
		"values that are no JSON": {values(`{geheim`), []string{"spec.values: must be an object"}},
		"values that are null":    {values(`null`), []string{"spec.values: must be an object"}},
		"no values":               {values(``), nil},
		"large values": {values(`{"a":"` + strings.Repeat("a", MaxValues) + `"}`),
			[]string{"spec.values: is too large: it has 257 KiB of JSON, and may have 256"}},
		"largest values": {values(`{"a":"` + strings.Repeat("a", MaxValues-8) + `"}`), nil},
		"a key that is none": {func(s *release.OperatorSpec) {
			s.ValuesFrom = []release.ValuesSource{{}, {SecretRef: &release.SecretKeyReference{Key: "a/b"}}}
		}, []string{"spec.valuesFrom[1].secretRef.key: valid config key"}},
		"an unknown environment": {func(s *release.OperatorSpec) {
			s.EnvironmentValues = map[string]runtime.RawExtension{"production": raw(`{}`)}
		}, []string{`spec.environmentValues: supported values: "Development", "Staging", "Production"`}},
		"values of an environment": {func(s *release.OperatorSpec) {
			s.EnvironmentValues = map[string]runtime.RawExtension{"Production": raw(`[]`)}
		}, []string{"spec.environmentValues[Production]: must be an object"}},
		"many environments": {func(s *release.OperatorSpec) {
			s.EnvironmentValues = map[string]runtime.RawExtension{"a": raw(`{}`), "b": raw(`{}`), "c": raw(`{}`), "d": raw(`{}`)}
		}, []string{"spec.environmentValues: must have at most 3 items"}},
	} {
		t.Run(name, func(t *testing.T) {
			operator := operator(tc.change)
			errs := ValidateOperator(operator)
			requireErrors(t, tc.want, errs)
			if len(errs) > 0 {
				require.NotContains(t, errs.ToAggregate().Error(), "geheim")
			}
			requireErrors(t, tc.want, ValidateOperatorUpdate(operator, operator))
		})
	}
	long := operator(nil)
	long.Name = "A_b"
	requireErrors(t, []string{"metadata.name: lowercase RFC 1123 subdomain"}, ValidateOperator(long))
	long.Name = strings.Repeat("a", 254)
	requireErrors(t, []string{"metadata.name: may not be more than 253"}, ValidateOperator(long))
}

func TestValidateOperatorStatus(t *testing.T) {
	operator := operator(nil)
	operator.Status = release.OperatorStatus{Phase: "Ready", LatestVersion: "v1", Conditions: []metav1.Condition{{Type: "Ready",
		Status: "True", Reason: "Fine", LastTransitionTime: metav1.Now()}}}
	require.Empty(t, ValidateOperatorStatus(operator, operator))
	operator.Status.LatestVersion = strings.Repeat("a", 1025)
	operator.Status.Conditions[0].Status = "Maybe"
	errs := ValidateOperatorStatus(operator, operator)
	requireErrors(t, []string{`status.conditions[0].status: Unsupported value: "Maybe"`, "status.latestVersion: may not be more than 1024"},
		errs)
	require.False(t, errs[0].CoveredByDeclarative, "declarative validation does not look at conditions")
}
