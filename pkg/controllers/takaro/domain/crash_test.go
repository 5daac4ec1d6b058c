// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
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
					require.Greater(t, nth, 5, "the run makes calls")
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

// gone deletes the Domain and requires that nothing of it is left.
func gone(w *world) {
	w.t.Helper()
	w.delete()
	w.settle(w.controller(w.store))
	require.Nil(w.t, w.domain())
	require.Empty(w.t, w.takaro.Domains(), "nothing is left in Takaro")
}

func TestCreateKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addDomain() }, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

// What the user typed is never removed on a guess: a lost password is told instead.
func TestCreateWithTypedReferenceKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addDomain(withReference("typed-reference")) }, func(w *world) {
		w.requireReady()
		if w.condition(v1alpha1.ConditionRootCredentials) != "False RootPasswordLost" {
			w.requireRootLogin()
		}
		gone(w)
	})
}

// Controllers that die while they clean up after others that died.
func TestCreateKilledAgainAndAgain(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		typed := seed%2 == 1
		w.addDomain(func(d *v1alpha1.Domain) {
			if typed {
				d.Spec.ExternalReferenceID = "typed-reference"
			}
		})
		var pending []func()
		arrive := func() {
			for _, request := range pending {
				request()
			}
			pending = nil
		}
		for range 4 {
			struck := w.killAt(1+random.IntN(20), []moment{before, after, late}[random.IntN(3)])
			pending = append(pending, struck.late...)
			if random.IntN(2) == 0 {
				arrive()
			}
		}
		w.settle(w.controller(w.store), arrive)
		t.Logf("seed %d", seed)
		w.requireReady()
		if !typed || w.condition(v1alpha1.ConditionRootCredentials) != "False RootPasswordLost" {
			w.requireRootLogin()
		}
		gone(w)
	}
}

func TestDeleteAfterCreateKilledAtEveryCall(t *testing.T) {
	for _, when := range []moment{before, after, late} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			w.addDomain()
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
			require.Nil(t, w.domain(), "%s call %d", when, nth)
			require.Empty(t, w.takaro.Domains(), "%s call %d", when, nth)
		}
	}
}

func TestAdoptKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		_, _, err := w.takaro.PlantDomain(seed("theirs"))
		require.NoError(w.t, err)
		w.addDomain(withReference("theirs"), adopting)
	}, func(w *world) {
		domain := w.requireReady()
		require.Equal(w.t, "False RootPasswordUnknown", w.condition(v1alpha1.ConditionRootCredentials))
		w.delete()
		w.settle(w.controller(w.store))
		require.Nil(w.t, w.domain())
		require.Len(w.t, w.takaro.Domains(), 1, "what was adopted is retained")
		require.Equal(w.t, domain.Status.DomainID, w.takaro.Domains()[0].ID)
	})
}

func TestRemakeOfAVanishedDomainKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addDomain()
		w.settle(w.controller(w.store))
		require.True(w.t, w.takaro.RemoveDomain(w.requireReady().Status.DomainID))
	}, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

func TestRemakeOfAHalfMadeDomainKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addDomain()
		w.halfMade()
	}, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

func TestDeleteKilledAtEveryCall(t *testing.T) {
	for policy, left := range map[v1alpha1.DeletionPolicy]int{v1alpha1.DeletionPolicyDelete: 0, v1alpha1.DeletionPolicyDisable: 1} {
		t.Run(string(policy), func(t *testing.T) {
			atEveryCall(t, func(w *world) {
				w.addDomain(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = policy })
				w.settle(w.controller(w.store))
				w.requireReady()
				w.delete()
			}, func(w *world) {
				require.Nil(w.t, w.domain())
				require.Len(w.t, w.takaro.Domains(), left)
				for _, domain := range w.takaro.Domains() {
					require.Equal(w.t, "DISABLED", domain.State)
				}
			})
		})
	}
}
