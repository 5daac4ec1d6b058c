// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// waiting is the timeout of each condition that a test waits for.
const waiting = 10 * time.Second

// by is a get of one Domain by a user.
func by(user user.Info, name string) authorizer.AttributesRecord {
	attributes := get(name)
	attributes.User = user
	return attributes
}

var other = &user.DefaultInfo{Name: "other"}

// slowHost answers the reviews of one user only after release.
type slowHost struct {
	slow      string
	release   chan struct{}
	mu        sync.Mutex
	now, most int
}

func (h *slowHost) decide(spec authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
	if spec.User != h.slow {
		return allow
	}
	h.mu.Lock()
	h.now++
	h.most = max(h.most, h.now)
	h.mu.Unlock()
	<-h.release
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now--
	return allow
}

func (h *slowHost) inFlight() (now, most int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.most
}

// TestCallers_OneFloodsAnotherIsServed shows that a caller with many new names has few reviews in
// flight, and that another caller, and answers from the cache, do not wait for them.
func TestCallers_OneFloodsAnotherIsServed(t *testing.T) {
	for _, blind := range []bool{false, true} {
		t.Run(fmt.Sprintf("name-blind=%t", blind), func(t *testing.T) {
			slow := &slowHost{slow: tenant.Name, release: make(chan struct{})}
			h := &host{decide: slow.decide}
			a := h.start(t, func(c *Config) { c.NameBlind = blind })
			const names = 100
			var done sync.WaitGroup
			for i := range names {
				done.Go(func() {
					flood := get(fmt.Sprintf("name-%d", i))
					flood.Namespace = flood.Name
					decision, _, err := a.Authorize(t.Context(), flood)
					assert.NoError(t, err)
					assert.Equal(t, authorizer.DecisionAllow, decision)
				})
			}
			require.Eventually(t, func() bool { now, _ := slow.inFlight(); return now == inFlightPerCaller }, waiting, time.Millisecond)
			decision, _, err := a.Authorize(t.Context(), by(other, "theirs"))
			require.NoError(t, err)
			require.Equal(t, authorizer.DecisionAllow, decision)
			close(slow.release)
			done.Wait()
			now, most := slow.inFlight()
			require.Zero(t, now)
			require.Equal(t, inFlightPerCaller, most)
			require.Len(t, h.questions(), names+1)
		})
	}
}

// TestCallers_WaitEndsWithTheRequest shows that a request which ended does not stay in line.
func TestCallers_WaitEndsWithTheRequest(t *testing.T) {
	slow := &slowHost{slow: tenant.Name, release: make(chan struct{})}
	a := (&host{decide: slow.decide}).start(t, nil)
	var done sync.WaitGroup
	for i := range inFlightPerCaller {
		done.Go(func() { _, _, _ = a.Authorize(t.Context(), get(fmt.Sprintf("name-%d", i))) })
	}
	require.Eventually(t, func() bool { now, _ := slow.inFlight(); return now == inFlightPerCaller }, waiting, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, _, err := a.Authorize(ctx, get("late"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(slow.release)
	done.Wait()
	_, _, err = a.Authorize(t.Context(), get("next"))
	require.NoError(t, err)
}

// TestCallers_RateOfReviews shows that only reviews which are sent count, that they wait when the
// rate is used up, and that the caller is in debt for as long.
func TestCallers_RateOfReviews(t *testing.T) {
	h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return allow }}
	// The burst is one, and the next review would be sent after more than an hour.
	callers := NewCallers(0.0001)
	a := h.start(t, func(c *Config) { c.Callers = callers })
	for range 1000 {
		_, _, err := a.Authorize(t.Context(), get("one"))
		require.NoError(t, err)
	}
	require.False(t, callers.inDebt(tenant.Name))
	ctx, cancel := context.WithCancel(t.Context())
	var ended atomic.Bool
	var done sync.WaitGroup
	done.Go(func() {
		_, _, err := a.Authorize(ctx, get("two"))
		assert.ErrorIs(t, err, context.Canceled)
		ended.Store(true)
	})
	require.Eventually(t, func() bool { return callers.inDebt(tenant.Name) }, waiting, time.Millisecond)
	require.False(t, ended.Load())
	require.False(t, callers.inDebt(other.Name))
	_, _, err := a.Authorize(t.Context(), by(other, "two"))
	require.NoError(t, err)
	cancel()
	done.Wait()
	require.False(t, callers.inDebt(tenant.Name), "what was not sent is not owed")
	require.Equal(t, []string{"one", "two"}, h.names())
}

func TestCallers_WithoutRateNobodyIsInDebt(t *testing.T) {
	h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return allow }}
	callers := NewCallers(-1)
	a := h.start(t, func(c *Config) { c.Callers = callers })
	for i := range 100 {
		_, _, err := a.Authorize(t.Context(), get(fmt.Sprintf("name-%d", i)))
		require.NoError(t, err)
		require.False(t, callers.inDebt(tenant.Name))
	}
}

func TestCallers_MemoryIsBounded(t *testing.T) {
	callers := NewCallers(1)
	for i := range 3 * knownCallers {
		require.NoError(t, callers.await(t.Context(), &question{user: fmt.Sprintf("user-%d", i)}))
	}
	require.Equal(t, knownCallers, callers.known.Len())
	require.False(t, callers.inDebt("somebody else"))
	require.Equal(t, knownCallers, callers.known.Len(), "to ask about a caller remembers nobody")
}
