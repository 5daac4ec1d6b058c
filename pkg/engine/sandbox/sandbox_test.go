// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReserve_OneSeatForANamespace(t *testing.T) {
	s := tested(t, time.Minute)
	first, err := s.Reserve(t.Context(), "a")
	require.NoError(t, err)
	_, err = s.Reserve(t.Context(), "a")
	assert.Equal(t, KindBusy, KindOf(err))
	assert.ErrorContains(t, err, `"a"`)
	other, err := s.Reserve(t.Context(), "b")
	require.NoError(t, err)
	other.Leave()
	first.Leave()
	first.Leave()
	again, err := s.Reserve(t.Context(), "a")
	require.NoError(t, err)
	first.Leave()
	_, err = s.Reserve(t.Context(), "a")
	assert.Equal(t, KindBusy, KindOf(err), "a seat that was left gives no other one back")
	again.Leave()
}

func TestRun_TwoConcurrentChildren(t *testing.T) {
	s := tested(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, children)
	for _, namespace := range []string{"a", "b"} {
		seat := seatOf(t, s, namespace)
		go func() {
			_, err := seat.Run(ctx, "sleep", nil, nil)
			ended <- err
		}()
	}
	require.Eventually(t, func() bool { return len(s.slots) == children }, 10*time.Second, 10*time.Millisecond)
	waiting, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	third := seatOf(t, s, "c")
	_, err := third.Run(waiting, "echo", "x", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	cancel()
	for range children {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
	_, err = third.Run(t.Context(), "echo", "x", nil)
	require.NoError(t, err)
}

func TestReserve_WaitsForTheFirstTest(t *testing.T) {
	s := New(Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Reserve(ctx, "a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestSelfTest(t *testing.T) {
	ran := false
	s := New(Options{Sample: func(ctx context.Context, seat *Seat) error {
		ran = true
		_, err := seat.Run(ctx, "echo", "sample", nil)
		return err
	}})
	require.NoError(t, s.Test(t.Context()))
	assert.True(t, ran)
	seatOf(t, s, "a")
}

func TestSelfTest_NamesTheTestThatFails(t *testing.T) {
	broken := true
	s := New(Options{Sample: func(context.Context, *Seat) error {
		if broken {
			return errors.New("nothing was rendered")
		}
		return nil
	}})
	require.False(t, s.Unavailable(), "it was not tested yet")
	require.EqualError(t, s.Test(t.Context()), `self-test "sample" failed: nothing was rendered`)
	require.True(t, s.Unavailable())
	_, err := s.Reserve(t.Context(), "a")
	require.Equal(t, KindUnavailable, KindOf(err))
	require.ErrorContains(t, err, `"sample"`)
	broken = false
	require.NoError(t, s.Test(t.Context()))
	require.False(t, s.Unavailable())
	seatOf(t, s, "a")
}

// TestSelfTest_FindsWhatIsNotConfined runs the tests in this process, which is not confined.
func TestSelfTest_FindsWhatIsNotConfined(t *testing.T) {
	for _, name := range []string{"open", "socket", "kill"} {
		_, err := selfTests(t.Context(), []byte(`{"tests":["`+name+`"]}`), nil)
		assert.ErrorContains(t, err, "a system call that must be rejected succeeded", name)
	}
	for _, name := range []string{"garbage-collection", "goroutines", "timers"} {
		_, err := selfTests(t.Context(), []byte(`{"tests":["`+name+`"]}`), nil)
		assert.NoError(t, err, name)
	}
	_, err := selfTests(t.Context(), []byte(`{"tests":["timers", "other"]}`), nil)
	assert.ErrorContains(t, err, `test "other" does not exist`)
}

// TestSelfTest_NamesABuiltInTest runs a child in which one of the built-in tests does not end.
func TestSelfTest_NamesABuiltInTest(t *testing.T) {
	builtIn = append([]string{"timers", "unheard of"}, builtIn...)
	defer func() { builtIn = builtIn[2:] }()
	s := New(Options{})
	require.ErrorContains(t, s.Test(t.Context()), `self-test "unheard of" failed: test "unheard of" does not exist`)
	_, err := s.Reserve(t.Context(), "a")
	require.Equal(t, KindUnavailable, KindOf(err))
}

// TestRun_UnavailableLater checks that nothing runs after a child could not be confined, until the test passes again.
func TestRun_UnavailableLater(t *testing.T) {
	s := tested(t, time.Minute)
	_, err := seatOf(t, s, "a").Run(t.Context(), "nobody", nil, nil)
	require.Equal(t, KindUnavailable, KindOf(err))
	_, err = s.Reserve(t.Context(), "b")
	require.Equal(t, KindUnavailable, KindOf(err))
	require.NoError(t, s.Test(t.Context()))
	seatOf(t, s, "b")
}

func TestStart_TestsUntilItEnds(t *testing.T) {
	s := New(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	seat, err := s.Reserve(t.Context(), "a")
	require.NoError(t, err)
	seat.Leave()
	cancel()
	require.NoError(t, <-ended)
	assert.False(t, s.NeedLeaderElection())
}
