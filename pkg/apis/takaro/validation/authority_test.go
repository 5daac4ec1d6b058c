// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// A CA in the spec is valid only together with credentials in the spec. An object that an earlier
// release stored without them can still be updated.
func TestValidateAuthority(t *testing.T) {
	ref := func(name string) *takaro.SecretKeyReference { return &takaro.SecretKeyReference{Name: name, Key: "k"} }
	own, ca, other := ref("own"), ref("ca"), ref("other")
	const refused = "spec.caBundleSecretRef: Forbidden: may be set only together with spec.credentialsSecretRef: " +
		"the CA of the installation's endpoint is used with its token"
	for name, c := range map[string]struct {
		spec, old authority
		create    bool
		want      string
	}{
		"neither":                        {create: true},
		"own credentials":                {spec: authority{own, nil}, create: true},
		"own credentials and CA":         {spec: authority{own, ca}, create: true},
		"CA only":                        {spec: authority{nil, ca}, create: true, want: refused},
		"CA added":                       {spec: authority{nil, ca}, want: refused},
		"credentials removed":            {spec: authority{nil, ca}, old: authority{own, ca}, want: refused},
		"stored CA only":                 {spec: authority{nil, ca.DeepCopy()}, old: authority{nil, ca}},
		"stored CA only, CA changed":     {spec: authority{nil, other}, old: authority{nil, ca}, want: refused},
		"stored CA only, CA removed":     {old: authority{nil, ca}},
		"stored CA only, token added":    {spec: authority{own, ca}, old: authority{nil, ca}},
		"stored CA only, both exchanged": {spec: authority{own, other}, old: authority{nil, ca}},
	} {
		domain := func(a authority) *takaro.Domain {
			d := &takaro.Domain{}
			d.Name, d.Spec.Name, d.Spec.TakaroAPIURL = "arena", "arena", "https://takaro.example"
			d.Spec.CredentialsSecretRef, d.Spec.CABundleSecretRef = a.credentials, a.ca
			return d
		}
		server := func(a authority) *takaro.MockServer {
			s := &takaro.MockServer{}
			s.Name, s.Spec.ExternalReferenceID, s.Spec.TakaroAPIURL = "guest", "guest-house", "https://takaro.example"
			s.Spec.CredentialsSecretRef, s.Spec.CABundleSecretRef = a.credentials, a.ca
			return s
		}
		domains, servers := ValidateDomainUpdate(domain(c.spec), domain(c.old)), ValidateMockServerUpdate(server(c.spec), server(c.old))
		if c.create {
			domains, servers = ValidateDomain(domain(c.spec)), ValidateMockServer(server(c.spec))
		}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		var got []string
		for _, err := range domains {
			got = append(got, err.Error())
		}
		assert.Equal(t, want, got, "Domain: %s", name)
		got = nil
		for _, err := range servers {
			if err.Field == "spec.caBundleSecretRef" {
				got = append(got, err.Error())
			}
		}
		assert.Equal(t, want, got, "MockServer: %s", name)
	}
	server := &takaro.MockServer{}
	server.Spec.DomainRef, server.Spec.CABundleSecretRef = &takaro.LocalObjectReference{Name: "arena"}, ca
	for _, err := range ValidateMockServer(server) {
		assert.NotContains(t, err.Error(), "only together with", "the error about the Domain's CA is enough")
	}
}
