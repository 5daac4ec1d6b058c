// SPDX-License-Identifier: Apache-2.0

package flight

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slow returns after the given duration, or with the error of its context.
func slow(after time.Duration, count *atomic.Int32) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		count.Add(1)
		select {
		case <-time.After(after):
			return "answer", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func TestCallersShareARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group Group[string, string]
		var count atomic.Int32
		var callers sync.WaitGroup
		for _, key := range []string{"a", "a", "a", "b"} {
			callers.Go(func() {
				got, err := group.Do(t.Context(), key, slow(time.Second, &count))
				assert.NoError(t, err)
				assert.Equal(t, "answer", got)
			})
		}
		callers.Wait()
		assert.EqualValues(t, 2, count.Load())
		_, err := group.Do(t.Context(), "a", slow(time.Second, &count))
		require.NoError(t, err)
		assert.EqualValues(t, 3, count.Load(), "an answer is not kept")
	})
}

// The first caller has the earliest deadline: it leaves, and the others get their result.
func TestCallerLeavesAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group Group[string, string]
		var count atomic.Int32
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := group.Do(within(t, time.Second), "a", slow(time.Minute, &count))
			assert.ErrorIs(t, err, ErrLate)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
		synctest.Wait()
		callers.Go(func() {
			_, err := group.Do(within(t, time.Hour), "a", slow(time.Minute, &count))
			assert.NoError(t, err)
		})
		callers.Wait()
		assert.EqualValues(t, 1, count.Load())
	})
}

func TestRequestEndsWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group Group[string, string]
		var count atomic.Int32
		_, err := group.Do(within(t, time.Second), "a", slow(time.Hour, &count))
		require.ErrorIs(t, err, ErrLate)
		synctest.Wait() // returns only if the goroutine of the request has ended
		got, err := group.Do(t.Context(), "a", slow(time.Second, &count))
		require.NoError(t, err, "the next caller begins anew")
		assert.Equal(t, "answer", got)
	})
}

func TestErrorsAndPanicsReachTheCaller(t *testing.T) {
	var group Group[string, string]
	failure := errors.New("failed")
	_, err := group.Do(t.Context(), "a", func(context.Context) (string, error) { return "", failure })
	require.ErrorIs(t, err, failure)
	assert.PanicsWithValue(t, "broken", func() {
		_, _ = group.Do(t.Context(), "a", func(context.Context) (string, error) { panic("broken") })
	})
}
