// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestPrepareFillsTheName(t *testing.T) {
	for name, tc := range map[string]struct{ typed, stored, want string }{
		"create":                {"", "", "object"},
		"create with a name":    {"typed", "", "typed"},
		"update that omits it":  {"", "kept", "kept"},
		"update with a new one": {"typed", "kept", "typed"},
	} {
		t.Run(name, func(t *testing.T) {
			domain := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: "object"}, Spec: takaro.DomainSpec{Name: tc.typed}}
			var old *takaro.Domain
			if tc.stored != "" {
				old = &takaro.Domain{Spec: takaro.DomainSpec{Name: tc.stored}}
			}
			prepare(domain, old)
			require.Equal(t, tc.want, domain.Spec.Name)
		})
	}
}

func TestClaimKey(t *testing.T) {
	key := func(url, reference string) string {
		return claimKey(&takaro.Domain{Spec: takaro.DomainSpec{TakaroAPIURL: url, ExternalReferenceID: reference}})
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

func TestCells(t *testing.T) {
	domain := &takaro.Domain{Spec: takaro.DomainSpec{Name: "n", MaintenanceMode: true, TakaroAPIURL: "https://a.test"}, Status: takaro.DomainStatus{
		Phase: "Ready", DomainID: "id", ExternalReferenceID: "ref",
		GameServers: takaro.GameServerCounts{Registered: 3, Reachable: 2}, Users: takaro.UserCounts{Ready: 4, Total: 5},
		Conditions: []metav1.Condition{{Type: "Synced", Reason: "No"}, {Type: "Ready", Reason: "Yes"}},
	}}
	var cells []any
	for _, column := range columns {
		cells = append(cells, column.Cell(domain))
	}
	require.Equal(t, []any{"n", "Ready", "id", "2/3", "4/5", true, "https://a.test", "ref", "Yes"}, cells)
	require.Equal(t, "", reason(&takaro.Domain{}))
}
