// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// byName returns one status without a name and another one with a name.
func byName(all authorizationv1.SubjectAccessReviewStatus, names map[string]authorizationv1.SubjectAccessReviewStatus) *host {
	return &host{decide: func(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
		if spec.ResourceAttributes != nil {
			if status, ok := names[spec.ResourceAttributes.Name]; ok {
				return status
			}
		}
		return all
	}}
}

func TestNameBlind(t *testing.T) {
	type names = map[string]authorizationv1.SubjectAccessReviewStatus
	subresource := get("one")
	subresource.Subresource = "status"
	for name, tc := range map[string]struct {
		host *host
		ask  []authorizer.AttributesRecord
		want []authorizer.Decision
		// asked are the names in the reviews that were sent.
		asked []string
	}{
		"all are allowed: one question": {
			host: byName(allow, nil), ask: []authorizer.AttributesRecord{get("one"), get("two"), get("three")},
			want: []authorizer.Decision{authorizer.DecisionAllow, authorizer.DecisionAllow, authorizer.DecisionAllow}, asked: []string{""},
		},
		"some are allowed by name": {
			host: byName(noOpinion, names{"one": allow}), ask: []authorizer.AttributesRecord{get("one"), get("two"), get("one")},
			want:  []authorizer.Decision{authorizer.DecisionAllow, authorizer.DecisionNoOpinion, authorizer.DecisionAllow},
			asked: []string{"", "one", "two"},
		},
		"denied for all, allowed by name": {
			host: byName(deny, names{"one": allow}), ask: []authorizer.AttributesRecord{get("one"), get("two")},
			want: []authorizer.Decision{authorizer.DecisionAllow, authorizer.DecisionDeny}, asked: []string{"", "one", "two"},
		},
		"what the flag warns of: one name is denied, and passes": {
			host: byName(allow, names{"one": deny}), ask: []authorizer.AttributesRecord{get("one")},
			want: []authorizer.Decision{authorizer.DecisionAllow}, asked: []string{""},
		},
		"a list has no name: one question": {
			host: byName(noOpinion, nil), ask: []authorizer.AttributesRecord{get("")},
			want: []authorizer.Decision{authorizer.DecisionNoOpinion}, asked: []string{""},
		},
		"a subresource is another question": {
			host: byName(allow, nil), ask: []authorizer.AttributesRecord{get("one"), subresource},
			want: []authorizer.Decision{authorizer.DecisionAllow, authorizer.DecisionAllow}, asked: []string{"", ""},
		},
		"a path": {
			host: byName(noOpinion, nil), ask: []authorizer.AttributesRecord{{User: tenant, Verb: "get", Path: "/metrics"}},
			want: []authorizer.Decision{authorizer.DecisionNoOpinion}, asked: []string{"/metrics"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := tc.host.start(t, func(c *Config) { c.NameBlind = true })
			for i, attributes := range tc.ask {
				decision, _, err := a.Authorize(t.Context(), attributes)
				require.NoError(t, err)
				require.Equal(t, tc.want[i], decision, "question %d", i)
			}
			require.Equal(t, tc.asked, tc.host.names())
		})
	}
}

func TestNameBlindAsksOnceWhenThereIsNoAnswer(t *testing.T) {
	h := &host{broken: true}
	decision, _, err := h.start(t, func(c *Config) { c.NameBlind = true }).Authorize(t.Context(), get("one"))
	require.ErrorContains(t, err, "status code 418")
	require.Equal(t, authorizer.DecisionNoOpinion, decision)
	require.Equal(t, []string{""}, h.names())
}
