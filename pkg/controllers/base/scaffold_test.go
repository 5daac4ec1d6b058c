// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

func TestBackoffGrowsToItsBoundAndStartsAnew(t *testing.T) {
	limiter, request := RateLimiter(), reconcile.Request{}
	for n, base := 0, minBackoff; n < 30; n++ {
		got := limiter.When(request)
		assert.GreaterOrEqual(t, got, time.Duration(float64(base)*(1-jitter)))
		assert.LessOrEqual(t, got, min(time.Duration(float64(base)*(1+jitter)), maxBackoff))
		base = min(2*base, maxBackoff)
	}
	limiter.Forget(request)
	assert.LessOrEqual(t, limiter.When(request), 2*minBackoff)
}

func TestJitterStaysWithinItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "d"))
		assert.InDelta(t, float64(d), float64(Jitter(d)), jitter*float64(d)+1)
	})
}

func TestMeasure(t *testing.T) {
	cases := []struct {
		want   string
		result reconcile.Result
		err    error
	}{
		{want: "done"},
		{want: "waiting", result: reconcile.Result{RequeueAfter: time.Second}},
		{want: "failed", err: errors.New("x")},
		{want: "outside", err: fmt.Errorf("search: %w", &takaro.TransportError{Err: errors.New("no route")})},
		{want: "outside", err: &takaro.APIError{Status: 503}},
		{want: "outside", err: &repository.Error{}},
		{want: "outside", err: flight.ErrLate},
	}
	for _, c := range cases {
		name := c.want
		inner := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return c.result, c.err })
		before := testutil.ToFloat64(reconciles.WithLabelValues("Test", name))
		result, err := Measure("Test", inner).Reconcile(t.Context(), reconcile.Request{})
		assert.Equal(t, c.result, result)
		assert.Equal(t, c.err, err)
		assert.InDelta(t, before+1, testutil.ToFloat64(reconciles.WithLabelValues("Test", name)), 0)
	}
}
