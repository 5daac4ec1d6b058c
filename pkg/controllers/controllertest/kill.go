// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Moment is when a call is killed relative to its effect.
type Moment string

const (
	// Before means that the call has no effect.
	Before Moment = "before"
	// After means that the call has its effect, but the controller does not receive the result.
	After Moment = "after"
	// Late means that the call has its effect after the next controller has started. For calls to
	// the API server it is the same as Before.
	Late Moment = "late"
)

// Moments contains all moments.
var Moments = []Moment{Before, After, Late}

// killed is the panic value of a killed process.
type killed struct{}

// Run is a controller that is killed at its nth call to the API server, to Takaro or to Redis.
type Run struct {
	nth    int
	when   Moment
	cancel context.CancelFunc
	takaro http.Handler

	mu    sync.Mutex
	calls int
	dead  bool
	late  []func()
	// lateRedis is separate for tests that need its effects earlier; see ArriveRedis.
	lateRedis []func()
}

// Dead reports whether the controller was killed. Otherwise it was idle before its nth call.
func (r *Run) Dead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead
}

// Arrive applies the effects of calls that were still in flight when the controller was killed.
func (r *Run) Arrive() {
	r.ArriveRedis()
	r.arrive(&r.late)
}

// ArriveRedis is Arrive for commands to Redis only. Redis reads the commands of a killed client
// before another controller has started.
func (r *Run) ArriveRedis() { r.arrive(&r.lateRedis) }

func (r *Run) arrive(late *[]func()) {
	r.mu.Lock()
	taken := *late
	*late = nil
	r.mu.Unlock()
	for _, arrive := range taken {
		arrive()
	}
}

func (r *Run) later(late *[]func(), arrive func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*late = append(*late, arrive)
}

// strike counts a call and reports whether the controller is killed at this call, or was killed
// earlier.
func (r *Run) strike() (now, earlier bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return false, true
	}
	r.calls++
	r.dead = r.calls == r.nth
	return r.dead, false
}

// api handles calls to the API server.
func (r *Run) api(call func() error) error {
	now, earlier := r.strike()
	switch {
	case earlier:
		panic(killed{})
	case !now:
		return call()
	case r.when == After:
		_ = call()
	}
	r.cancel()
	panic(killed{})
}

// serve handles requests to Takaro.
func (r *Run) serve(out http.ResponseWriter, in *http.Request) {
	now, earlier := r.strike()
	if !now && !earlier {
		r.takaro.ServeHTTP(out, in)
		return
	}
	if now {
		// The context of the request is canceled with the client, but Takaro continues.
		request := in.Clone(context.Background())
		switch r.when {
		case Before:
		case After:
			r.takaro.ServeHTTP(httptest.NewRecorder(), request)
		case Late:
			body, _ := io.ReadAll(in.Body)
			r.later(&r.late, func() {
				request.Body = io.NopCloser(bytes.NewReader(body))
				r.takaro.ServeHTTP(httptest.NewRecorder(), request)
			})
		}
		r.cancel()
	}
	panic(http.ErrAbortHandler)
}

// KillAt runs a controller, which start returns, until it is idle or is killed. It calls between
// after each reconciliation.
func (w *World[T]) KillAt(nth int, when Moment, start func(client.WithWatch) reconcile.Reconciler, between ...func()) (struck *Run) {
	w.T.Helper()
	ctx, cancel := context.WithCancel(w.T.Context())
	defer cancel()
	struck = &Run{nth: nth, when: when, cancel: cancel, takaro: w.Takaro}
	w.Through = struck.serve
	defer func() { w.Through = w.Takaro.ServeHTTP }()
	if w.redis != nil {
		w.redis.pass(struck)
		defer w.redis.pass(nil)
	}
	defer func() {
		if problem := recover(); problem != nil && problem != (killed{}) {
			panic(problem)
		}
	}()
	controller := start(Intercept(struck.api).Client(w.Store))
	for range 40 {
		result, err := controller.Reconcile(ctx, w.Request())
		if struck.Dead() {
			return struck
		}
		for _, do := range between {
			do()
		}
		if w.rests(result, err) {
			return struck
		}
	}
	require.FailNow(w.T, "it does not come to rest")
	return nil
}
