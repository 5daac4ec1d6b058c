// SPDX-License-Identifier: Apache-2.0

package user

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// moment is when a call is struck relative to its effect.
type moment string

const (
	before moment = "before" // it has no effect
	after  moment = "after"  // it had its effect, though nobody learns of it
	late   moment = "late"   // it has its effect when the next controller is already at work; of API calls: as before
)

// killed is what a dead process does instead of anything else.
type killed struct{}

// run is a controller that is killed at its nth call to the API server or to Takaro.
type run struct {
	w      *world
	nth    int
	when   moment
	cancel context.CancelFunc

	mu    sync.Mutex
	calls int
	dead  bool
	late  []func()
}

// strike counts a call and tells whether it is the last one. A dead process makes none.
func (r *run) strike() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		panic(killed{})
	}
	r.calls++
	r.dead = r.calls == r.nth
	return r.dead
}

func (r *run) api(call func() error) error {
	if !r.strike() {
		return call()
	}
	if r.when == after {
		_ = call()
	}
	r.cancel()
	panic(killed{})
}

// serve is what Takaro's requests of this run go through.
func (r *run) serve(out http.ResponseWriter, in *http.Request) {
	r.mu.Lock()
	r.calls++
	if r.calls != r.nth {
		r.mu.Unlock()
		r.w.takaro.ServeHTTP(out, in)
		return
	}
	r.dead = true
	r.mu.Unlock()
	// Its context ends with the client, which the work of Takaro does not.
	request := in.Clone(context.Background())
	switch r.when {
	case before:
	case after:
		r.w.takaro.ServeHTTP(httptest.NewRecorder(), request)
	case late:
		body := readAll(in)
		r.late = append(r.late, func() {
			request.Body = body
			r.w.takaro.ServeHTTP(httptest.NewRecorder(), request)
		})
	}
	r.cancel()
	panic(http.ErrAbortHandler)
}

// killAt runs a controller until it comes to rest or is killed, and tells whether it was killed.
func (w *world) killAt(nth int, when moment) (struck *run) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	struck = &run{w: w, nth: nth, when: when, cancel: cancel}
	w.through = struck.serve
	defer func() { w.through = w.takaro.ServeHTTP }()
	defer func() {
		if problem := recover(); problem != nil && problem != (killed{}) {
			panic(problem)
		}
	}()
	controller := w.controller(interceptor.NewClient(w.store, intercept(struck.api).functions()))
	for range 20 {
		result, err := controller.Reconcile(ctx, testRequest)
		if struck.dead || err == nil && result.RequeueAfter == 0 {
			return struck
		}
		w.clock.Step(result.RequeueAfter)
	}
	require.FailNow(w.t, "it does not come to rest")
	return nil
}

// atEveryCall runs a case with a controller that is killed at its first call, its second, and so on, until it ends by
// itself. Prepare makes the world up to the run that is struck, check looks at what the next controllers make of it.
func atEveryCall(t *testing.T, prepare func(*world), check func(*world)) {
	for _, when := range []moment{before, after, late} {
		t.Run(string(when), func(t *testing.T) {
			for nth := 1; ; nth++ {
				w := newWorld(t)
				prepare(w)
				struck := w.killAt(nth, when)
				if !struck.dead {
					require.Greater(t, nth, 3, "the run makes calls")
					t.Logf("struck at %d calls", nth-1)
					return
				}
				t.Logf("%s call %d", when, nth)
				w.settle(w.controller(w.store), func() {
					for _, arrive := range struck.late {
						arrive()
					}
					struck.late = nil
				})
				check(w)
			}
		})
	}
}

// gone deletes the User and requires that nothing of it is left.
func gone(w *world) {
	w.t.Helper()
	w.delete()
	w.settle(w.controller(w.store))
	require.Nil(w.t, w.user())
	require.Empty(w.t, w.inTakaro(), "nothing is left in Takaro")
	list := &corev1.SecretList{}
	require.NoError(w.t, w.store.List(w.t.Context(), list, client.InNamespace(testNamespace)))
	require.Len(w.t, list.Items, 1, "only the admin token is left")
}

func TestCreateKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addUser() }, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestCreateWithGivenPasswordKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.given = "given-password"
		w.addUser()
	}, func(w *world) {
		w.requireReady()
		require.Equal(w.t, "given-password", w.login()[keyPassword])
		gone(w)
	})
}

func TestDeleteAfterCreateKilledAtEveryCall(t *testing.T) {
	for _, when := range []moment{before, after, late} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.addUser()
			struck := w.killAt(nth, when)
			if !struck.dead {
				break
			}
			w.delete()
			w.settle(w.controller(w.store), func() {
				for _, arrive := range struck.late {
					arrive()
				}
				struck.late = nil
			})
			require.Nil(t, w.user(), "%s call %d", when, nth)
			require.Empty(t, w.inTakaro(), "%s call %d", when, nth)
		}
	}
}

// Whatever happened to the first spec, its roles are gone when the second one does not have them.
func TestRolesTakenOutOfTheSpecAfterACreateKilledAtEveryCall(t *testing.T) {
	for _, when := range []moment{before, after} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.addUser()
			struck := w.killAt(nth, when)
			if !struck.dead {
				break
			}
			w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles = []string{"Moderator"} })
			w.settle(w.controller(w.store))
			w.requireReady()
		}
	}
}

func TestChangeKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.settle(w.controller(w.store))
		w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles, spec.Name = []string{"root", "Moderator"}, "renamed" })
	}, func(w *world) { w.requireReady() })
}

func TestRemakeOfAVanishedUserKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.settle(w.controller(w.store))
		w.removeBehindOurBack()
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestDeleteKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.settle(w.controller(w.store))
		w.requireReady()
		w.delete()
	}, func(w *world) {
		require.Nil(w.t, w.user())
		require.Empty(w.t, w.inTakaro())
	})
}

func readAll(in *http.Request) io.ReadCloser {
	body, _ := io.ReadAll(in.Body)
	return io.NopCloser(bytes.NewReader(body))
}
