// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestPrepareFillsTheName(t *testing.T) {
	spec := func(name string, adopt bool) *takaro.Domain {
		return &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "object"}, Spec: takaro.DomainSpec{Name: name, Adopt: adopt}}
	}
	for name, tc := range map[string]struct {
		sent, stored *takaro.Domain
		want         string
	}{
		"create":                              {spec("", false), nil, "object"},
		"create with a name":                  {spec("typed", false), nil, "typed"},
		"create that adopts":                  {spec("", true), nil, ""},
		"create that adopts, with a name":     {spec("typed", true), nil, "typed"},
		"update that omits it":                {spec("", false), spec("kept", false), "kept"},
		"update with a new one":               {spec("typed", false), spec("kept", false), "typed"},
		"update that turns on adopt":          {spec("", true), spec("kept", false), "kept"},
		"update of one that adopts":           {spec("", true), spec("", true), ""},
		"update that names one that adopts":   {spec("typed", true), spec("", true), "typed"},
		"update that turns off adopt":         {spec("", false), spec("", true), "object"},
		"update that omits an adopter's name": {spec("", true), spec("kept", true), "kept"},
	} {
		t.Run(name, func(t *testing.T) {
			prepare(tc.sent, tc.stored)
			require.Equal(t, tc.want, tc.sent.Spec.Name)
		})
	}
}

func TestReference(t *testing.T) {
	key := func(url, name string) string {
		return reference(&takaro.Domain{Spec: takaro.DomainSpec{TakaroAPIURL: url, ExternalReferenceID: name}}).Key()
	}
	require.Empty(t, key("https://a.test", ""), "no reference, no claim")
	require.Empty(t, key("ftp://a.test", "ref"), "validation refuses it anyway")
	require.NotEmpty(t, key("https://a.test", "ref"))
	require.Equal(t, key("https://a.test", "ref"), key("HTTPS://A.test.:443/", "ref"))
	require.NotEqual(t, key("https://a.test", "ref"), key("http://a.test", "ref"))
	require.NotEqual(t, key("https://a.test", "ref"), key("https://a.test", "ref2"))
}

func TestWarnings(t *testing.T) {
	plain, safe := &takaro.Domain{}, &takaro.Domain{}
	plain.Spec.TakaroAPIURL, safe.Spec.TakaroAPIURL = "http://a.test", "https://a.test"
	require.Len(t, warnings(t.Context(), plain, nil), 1)
	require.Empty(t, warnings(t.Context(), safe, nil))
	require.Empty(t, warnings(t.Context(), plain, plain), "said once is enough")
}
