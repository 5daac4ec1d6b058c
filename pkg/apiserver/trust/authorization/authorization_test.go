// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/testutil"
)

var tenant = &user.DefaultInfo{Name: "tenant", UID: "7", Groups: []string{"system:authenticated"},
	Extra: map[string][]string{"scope": {"a"}}}

// get is a request for one Domain.
func get(name string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		User: tenant, Verb: "get", APIGroup: "takaro.roadstead.dev", APIVersion: "v1alpha1", Resource: "domains",
		Namespace: "team", Name: name, ResourceRequest: true,
	}
}

func TestTheHostDecides(t *testing.T) {
	for name, tc := range map[string]struct {
		answer authorizationv1.SubjectAccessReviewStatus
		broken bool
		want   authorizer.Decision
		err    string
	}{
		"allow":      {answer: allow, want: authorizer.DecisionAllow},
		"deny":       {answer: deny, want: authorizer.DecisionDeny},
		"no opinion": {answer: noOpinion, want: authorizer.DecisionNoOpinion},
		"both": {answer: authorizationv1.SubjectAccessReviewStatus{Allowed: true, Denied: true}, want: authorizer.DecisionDeny,
			err: "both allow and deny"},
		"error": {broken: true, want: authorizer.DecisionNoOpinion, err: "status code 418"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{broken: tc.broken, decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
				return tc.answer
			}}
			decision, _, err := h.start(t, nil).Authorize(t.Context(), get("one"))
			require.Equal(t, tc.want, decision)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.err)
			}
			require.Equal(t, []authorizationv1.SubjectAccessReviewSpec{{
				User: "tenant", UID: "7", Groups: []string{"system:authenticated"}, Extra: map[string]authorizationv1.ExtraValue{"scope": {"a"}},
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: "get", Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "domains", Namespace: "team", Name: "one",
				},
			}}, h.questions())
		})
	}
}

func TestWhoAndWhatIsNotAsked(t *testing.T) {
	h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return deny }}
	a := h.start(t, nil)
	master := get("one")
	master.User = &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}}
	for _, free := range []authorizer.AttributesRecord{
		master,
		{User: tenant, Verb: "get", Path: "/healthz"},
		{User: tenant, Verb: "get", Path: "/open/to/all"},
	} {
		decision, _, err := a.Authorize(t.Context(), free)
		require.NoError(t, err)
		require.Equal(t, authorizer.DecisionAllow, decision)
	}
	require.Empty(t, h.questions())
	decision, _, err := a.Authorize(t.Context(), authorizer.AttributesRecord{User: tenant, Verb: "get", Path: "/metrics"})
	require.NoError(t, err)
	require.Equal(t, authorizer.DecisionDeny, decision)
	require.Equal(t, []string{"/metrics"}, h.names())
}

func TestSelectorsAreAskedFor(t *testing.T) {
	for _, blind := range []bool{false, true} {
		h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return allow }}
		list := get("")
		list.Verb, list.FieldSelectorRequirements = "list", fields.OneTermEqualSelector("spec.name", "a").Requirements()
		decision, _, err := h.start(t, func(c *Config) { c.NameBlind = blind }).Authorize(t.Context(), list)
		require.NoError(t, err)
		require.Equal(t, authorizer.DecisionAllow, decision)
		require.Equal(t, []metav1.FieldSelectorRequirement{{Key: "spec.name", Operator: metav1.FieldSelectorOpIn, Values: []string{"a"}}},
			h.questions()[0].ResourceAttributes.FieldSelector.Requirements)
	}
}

func TestAnswersAreRememberedAndCounted(t *testing.T) {
	requests.Reset()
	h := &host{decide: func(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
		if spec.ResourceAttributes.Name == "theirs" {
			return noOpinion
		}
		return allow
	}}
	a := h.start(t, nil)
	for _, name := range []string{"one", "one", "two", "theirs", "theirs", "theirs"} {
		_, _, err := a.Authorize(t.Context(), get(name))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"one", "two", "theirs"}, h.names())
	h.broken = true
	_, _, err := a.Authorize(t.Context(), get("three"))
	require.Error(t, err)
	for _, tc := range []struct {
		decision, answer string
		want             float64
	}{{"allow", "host", 2}, {"allow", "cache", 1}, {"no_opinion", "host", 1}, {"no_opinion", "cache", 2},
		{"error", "host", 1}, {"deny", "host", 0}} {
		got, err := testutil.GetCounterMetricValue(requests.WithLabelValues(tc.decision, tc.answer))
		require.NoError(t, err)
		require.Equal(t, tc.want, got, "%s %s", tc.decision, tc.answer)
	}
	answered, err := testutil.GetHistogramMetricCount(hostDuration.WithLabelValues("200"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, answered, uint64(3))
}

func TestUncached_ARevokedRightRefusesImmediately(t *testing.T) {
	allowed := true
	h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
		return authorizationv1.SubjectAccessReviewStatus{Allowed: allowed}
	}}
	both := h.both(t, func(c *Config) { c.NameBlind = true })
	ask := func(a authorizer.Authorizer) authorizer.Decision {
		decision, _, err := a.Authorize(t.Context(), get("one"))
		require.NoError(t, err)
		return decision
	}
	require.Equal(t, authorizer.DecisionAllow, ask(both.Cached))
	require.Equal(t, authorizer.DecisionAllow, ask(both.Uncached))
	require.Equal(t, []string{"", "one"}, h.names(), "uncached, the exact object is asked for")
	allowed = false
	require.Equal(t, authorizer.DecisionAllow, ask(both.Cached), "remembered")
	require.Equal(t, authorizer.DecisionNoOpinion, ask(both.Uncached))
	allowed = true
	require.Equal(t, authorizer.DecisionAllow, ask(both.Uncached), "a refusal is not remembered either")
	require.Len(t, h.questions(), 4)
}

func TestTheLimitOfQuestions(t *testing.T) {
	for qps, burst := range map[float32]int{-1: 1000, 0.2: 1, 50: 100} {
		core := &rest.Config{Host: "https://host", QPS: 7, Burst: 9}
		config := Config{Host: core, QPS: qps, Timeout: time.Second}.clientConfig()
		if qps > 0 {
			require.Equal(t, qps, config.RateLimiter.QPS())
		}
		sent := 0
		for ; sent < 1000 && config.RateLimiter.TryAccept(); sent++ {
		}
		require.Equal(t, burst, sent)
		require.Equal(t, time.Second, config.Timeout)
		require.Equal(t, &rest.Config{Host: "https://host", QPS: 7, Burst: 9}, core, "that of the others stays")
	}
}

func TestNoConditions(t *testing.T) {
	h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return allow }}
	blind := nameBlind(h.start(t, nil))
	decision := blind.ConditionsAwareAuthorize(t.Context(), get("one"))
	require.True(t, decision.IsAllow())
	evaluated, _, err := blind.EvaluateConditions(t.Context(), decision, nil)
	require.Equal(t, authorizer.DecisionDeny, evaluated)
	require.ErrorIs(t, err, authorizer.ErrorConditionEvaluationNotSupported)
}
