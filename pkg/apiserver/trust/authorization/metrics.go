// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	requests = metrics.NewCounterVec(&metrics.CounterOpts{
		Name: "roadstead_authorizer_requests_total",
		Help: "Requests that were authorized by the cluster, by decision (allow, deny, no_opinion, error) and by where the " +
			"answer came from: host (a SubjectAccessReview) or cache.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"decision", "answer"})

	// The generic server has one too, with 0.25 s as its smallest bucket.
	hostDuration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Name:           "roadstead_authorizer_host_duration_seconds",
		Help:           "Time that the cluster took to answer one SubjectAccessReview, by status code; <error> without an answer.",
		Buckets:        []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		StabilityLevel: metrics.ALPHA,
	}, []string{"code"})

	refusedRequests = metrics.NewCounter(&metrics.CounterOpts{
		Name: "roadstead_authorizer_refused_requests_total",
		Help: "Requests that were answered with 429 because the caller had used up its rate of SubjectAccessReviews " +
			"(--authorization-qps-per-caller).",
		StabilityLevel: metrics.ALPHA,
	})

	register = sync.OnceFunc(func() { legacyregistry.MustRegister(requests, hostDuration, refusedRequests) })
)

// counted counts what host answers.
func counted(host authorizer.Authorizer) authorizer.Authorizer {
	register()
	return authorizer.AuthorizerFunc(func(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		q := &question{}
		if caller := a.GetUser(); caller != nil {
			q.user = caller.GetName()
		}
		defer q.end()
		decision, reason, err := host.Authorize(q.in(ctx), a)
		if decision != authorizer.DecisionAllow {
			note(ctx, err)
		}
		answer := "cache"
		if q.asked.Load() {
			answer = "host"
		}
		requests.WithLabelValues(label(decision, err), answer).Inc()
		return decision, reason, err
	})
}

func label(decision authorizer.Decision, err error) string {
	switch {
	case err != nil:
		return "error"
	case decision == authorizer.DecisionAllow:
		return "allow"
	case decision == authorizer.DecisionDeny:
		return "deny"
	default:
		return "no_opinion"
	}
}

type timedTransport struct {
	next http.RoundTripper
}

// timed wraps the transport of the questions.
func timed(next http.RoundTripper) http.RoundTripper { return timedTransport{next} }

// WrappedRoundTripper returns the wrapped round tripper, through which client-go finds the connections.
func (t timedTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip records that a review was sent, and its duration.
func (t timedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if q, ok := questionFrom(request.Context()); ok {
		q.asked.Store(true)
	}
	begin := time.Now()
	response, err := t.next.RoundTrip(request)
	code := "<error>"
	if err == nil {
		code = strconv.Itoa(response.StatusCode)
	}
	hostDuration.WithLabelValues(code).Observe(time.Since(begin).Seconds())
	return response, err
}
