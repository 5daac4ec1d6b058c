// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func valid() *takaro.Domain {
	return &takaro.Domain{
		ObjectMeta: metav1.ObjectMeta{Name: "valid", Namespace: "default"},
		Spec:       takaro.DomainSpec{Name: "valid", TakaroAPIURL: "https://api.takaro.test", DeletionPolicy: takaro.DeletionPolicyDelete},
	}
}

// requireErrors compares errors with lines of the form "path: part of the message".
func requireErrors(t *testing.T, want []string, errs field.ErrorList) {
	t.Helper()
	require.Len(t, errs, len(want), "%v", errs)
	for i, line := range want {
		path, says, _ := strings.Cut(line, ": ")
		require.Equal(t, path, errs[i].Field)
		require.Contains(t, errs[i].Error(), says)
	}
}

func TestValidateDomain(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*takaro.Domain)
		want   []string
	}{
		"valid": {func(*takaro.Domain) {}, nil},
		"everything": {func(d *takaro.Domain) {
			d.Spec.ConnectorURL = "WSS://connect.takaro.test:8443/path"
			d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "n", Key: "a.b-c_D"}
			d.Spec.ExternalReferenceID, d.Spec.Adopt, d.Spec.MaintenanceMode = "ref", true, true
		}, nil},
		"a missing address is a tag's business": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "" }, nil},
		"scheme": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "ws://a" },
			[]string{"spec.takaroApiUrl: must start with http:// or https://"}},
		"no scheme": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "api.takaro.test" },
			[]string{"spec.takaroApiUrl: must start with"}},
		"no host": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://:8080" },
			[]string{"spec.takaroApiUrl: must name a host"}},
		"not a URL": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://a b" },
			[]string{"spec.takaroApiUrl: must be a URL such as https://host:port"}},
		"query": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://a?" },
			[]string{"spec.takaroApiUrl: must not have a query or fragment"}},
		"fragment": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://a#" },
			[]string{"spec.takaroApiUrl: must not have a query or fragment"}},
		"credentials": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://u:geheim@a" },
			[]string{"spec.takaroApiUrl: must not hold credentials"}},
		"credentials and a wrong scheme": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "ftp://u:geheim@a" },
			[]string{"spec.takaroApiUrl: must not hold credentials"}},
		"credentials in what is no URL": {func(d *takaro.Domain) { d.Spec.TakaroAPIURL = "https://u:geheim@a b" },
			[]string{"spec.takaroApiUrl: must not hold credentials"}},
		"Takaro's word for none": {func(d *takaro.Domain) { d.Spec.ExternalReferenceID = "null" },
			[]string{`spec.externalReferenceId: means "has none"`}},
		"connector": {func(d *takaro.Domain) { d.Spec.ConnectorURL = "http://a" },
			[]string{"spec.connectorUrl: must start with ws:// or wss://"}},
		"credentials key": {func(d *takaro.Domain) {
			d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "n", Key: "a/b"}
		}, []string{"spec.credentialsSecretRef.key: valid config key"}},
		"CA key": {func(d *takaro.Domain) {
			d.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "n", Key: "k"}
			d.Spec.CABundleSecretRef = &takaro.SecretKeyReference{Name: "n", Key: "."}
		}, []string{"spec.caBundleSecretRef.key: must not be '.'"}},
		"generated reference": {func(d *takaro.Domain) { d.Spec.ExternalReferenceID = "roadstead:x" },
			[]string{`spec.externalReferenceId: may not start with "roadstead:"`}},
		"anchor": {func(d *takaro.Domain) { d.Spec.ExternalReferenceID = "roadstead-anchor:x" },
			[]string{`spec.externalReferenceId: may not start with "roadstead-anchor:"`}},
		"retained": {func(d *takaro.Domain) { d.Spec.ExternalReferenceID = "retained:x:1" },
			[]string{"spec.externalReferenceId: set spec.adopt to true"}},
		"retained, adopted": {func(d *takaro.Domain) {
			d.Spec.ExternalReferenceID, d.Spec.Adopt, d.Spec.DeletionPolicy = "retained:x:1", true, takaro.DeletionPolicyRetain
		}, nil},
		"similar to a generated reference": {func(d *takaro.Domain) { d.Spec.ExternalReferenceID = "roadstead-1" }, nil},
		"adopt what?": {func(d *takaro.Domain) { d.Spec.Adopt = true },
			[]string{"spec.externalReferenceId: spec.adopt needs the reference"}},
		"two states": {func(d *takaro.Domain) { d.Spec.MaintenanceMode, d.Spec.Disabled = true, true },
			[]string{"spec.disabled: may not be true together"}},
		"name of the object": {func(d *takaro.Domain) { d.Name = "A_b" }, []string{"metadata.name: lowercase RFC 1123 subdomain"}},
		"long name of an object": {func(d *takaro.Domain) { d.Name = strings.Repeat("a", 201) },
			[]string{"metadata.name: may not be more than 200"}},
		"longest name": {func(d *takaro.Domain) { d.Name = strings.Repeat("a", 200) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			domain := valid()
			tc.change(domain)
			errs := ValidateDomain(domain)
			requireErrors(t, tc.want, errs)
			if len(errs) > 0 {
				require.NotContains(t, errs.ToAggregate().Error(), "geheim")
			}
			if tc.want == nil {
				require.Empty(t, ValidateDomainUpdate(domain, domain), "what create takes, an update without a change takes too")
			}
		})
	}
}

func TestValidateDomainUpdate(t *testing.T) {
	old := valid()
	old.Spec.ExternalReferenceID = "ref"
	adopting := old.DeepCopy()
	adopting.Spec.Adopt = true
	requireErrors(t, []string{"spec.deletionPolicy: must be Retain in the change that turns on spec.adopt"},
		ValidateDomainUpdate(adopting, old))
	adopting.Spec.DeletionPolicy = takaro.DeletionPolicyRetain
	require.Empty(t, ValidateDomainUpdate(adopting, old))
	deleting := adopting.DeepCopy()
	deleting.Spec.DeletionPolicy = takaro.DeletionPolicyDelete
	require.Empty(t, ValidateDomainUpdate(deleting, adopting), "it may be changed afterwards")
	retained := adopting.DeepCopy()
	retained.Spec.ExternalReferenceID = "retained:x:1"
	left := retained.DeepCopy()
	left.Spec.Adopt = false
	requireErrors(t, []string{`spec.adopt: must stay true while spec.externalReferenceId starts with "retained:"`},
		ValidateDomainUpdate(left, retained))
	require.Empty(t, ValidateDomainUpdate(left, left), "an object that an earlier release stored stays writable")
	anchor := old.DeepCopy()
	anchor.Spec.ExternalReferenceID = "roadstead-anchor:x"
	require.Empty(t, ValidateDomainUpdate(anchor, anchor), "an object that an earlier release stored stays writable")
	invalid := old.DeepCopy()
	invalid.Spec.MaintenanceMode, invalid.Spec.Disabled = true, true
	requireErrors(t, []string{"spec.disabled: one state at a time"}, ValidateDomainUpdate(invalid, old))
}

func TestValidateDomainStatus(t *testing.T) {
	domain := valid()
	domain.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Fine", LastTransitionTime: metav1.Now()}}
	require.Empty(t, ValidateDomainStatus(domain, valid()))
	domain.Status.Conditions = append(domain.Status.Conditions, metav1.Condition{Type: "Ready", Status: "Maybe", Reason: "Fine",
		LastTransitionTime: metav1.Now()})
	errs := ValidateDomainStatus(domain, valid())
	requireErrors(t, []string{"status.conditions[1]: Duplicate value", `status.conditions[1].status: Unsupported value: "Maybe"`}, errs)
	for _, err := range errs {
		require.False(t, err.CoveredByDeclarative, "declarative validation does not look at conditions")
	}
}
