// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun_ReturnsTheObjects(t *testing.T) {
	seat := seatOf(t, tested(t, time.Minute), "tenant")
	found, err := seat.Run(t.Context(), "echo", map[string]string{"a": "<&>"}, nil)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.JSONEq(t, `{"a":"<&>"}`, string(found[0]))
	found, err = seat.Run(t.Context(), "objects", map[string]int{"Count": MaxObjects, "Size": 1000}, nil)
	require.NoError(t, err)
	assert.Len(t, found, MaxObjects)
	found, err = seat.Run(t.Context(), "objects", map[string]int{"Count": 0}, nil)
	require.NoError(t, err)
	assert.Empty(t, found)
}

// frames returns output that a child could write itself, bypassing the package.
func frames(contents ...string) []byte {
	var all []byte
	for _, content := range contents {
		all = binary.BigEndian.AppendUint32(all, uint32(len(content)))
		all = append(all, content...)
	}
	return all
}

func TestRun_FailuresAreTyped(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler string
		request any
		kind    Kind
		message string
	}{
		{"too many objects", "objects", map[string]int{"Count": MaxObjects + 1}, KindTooLarge, "1001 objects, but only 1000 are allowed"},
		{"too many bytes", "objects", map[string]int{"Count": 17, "Size": 1 << 20}, KindTooLarge, "larger than 16 MiB"},
		{"a request without end", "echo", strings.Repeat("x", MaxRequest), KindTooLarge, "input is larger than 64 MiB"},
		{"objects without end", "endless", nil, KindTooLarge, "1001 objects"},
		{"a refusal", "refuse", nil, KindRefused, "line break xxx"},
		{"the time-out", "sleep", nil, KindTooSlow, "the time limit of 1m0s was exceeded"},
		{"a panic", "panic", nil, KindCrashed, "exit status 2"},
		{"a recursion", "recursion", nil, KindCrashed, "exit status 2"},
		{"no memory for a thread", "thread", nil, KindOutOfMemory, "more than 512 MiB"},
		{"no result", "exit", nil, KindCrashed, "exit status 0"},
		{"noise", "noise", nil, KindRefused, "enough"},
		{"no frames", "raw", []byte("<html></html>"), KindCrashed, "is invalid"},
		{"a frame of 4 GiB", "raw", []byte("\xff\xff\xff\xff"), KindCrashed, "is invalid"},
		{"no JSON", "raw", frames("}"), KindCrashed, "is invalid"},
		{"an empty frame", "raw", frames("{}"), KindCrashed, "is invalid"},
		{"an announced frame that does not arrive", "raw", frames("xxxx")[:6], KindTooSlow, ""},
		{"a kind that is not the child's", "raw", frames(`{"failure":{"kind":"Busy","text":"x"}}`), KindCrashed, ""},
		{"a handler that is not there", "nobody", nil, KindUnavailable, `no handler for ["nobody"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seat := seatOf(t, tested(t, 5*time.Second), "tenant")
			found, err := seat.Run(t.Context(), test.handler, test.request, nil)
			require.Error(t, err)
			assert.Empty(t, found)
			assert.Equal(t, test.kind, KindOf(err), err)
			assert.ErrorContains(t, err, test.message)
			assert.Less(t, len(err.Error()), 2*maxText)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestRun_RefusalsHaveACode(t *testing.T) {
	_, err := seatOf(t, tested(t, time.Minute), "tenant").Run(t.Context(), "refuse", nil, nil)
	found, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.Equal(t, "Bad", found.Code)
}

// TestChild_EndsItself checks the limits that hold without the parent.
func TestChild_EndsItself(t *testing.T) {
	for handler, what := range map[string]string{"short loop": "CPU time", "short sleep": "time"} {
		begin := time.Now()
		s := tested(t, time.Minute)
		_, err := seatOf(t, s, "tenant").Run(t.Context(), handler, nil, nil)
		assert.Less(t, time.Since(begin), 30*time.Second, what)
		assert.Contains(t, []Kind{KindTooSlow, KindOutOfMemory}, KindOf(err), what)
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	s := tested(t, time.Minute)
	seat := seatOf(t, s, "tenant")
	stop := errors.New("the process ends")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(stop) })
	begin := time.Now()
	_, err := seat.Run(ctx, "loop", nil, nil)
	assert.ErrorIs(t, err, stop)
	assert.Less(t, time.Since(begin), 30*time.Second)
	_, err = seat.Run(t.Context(), "echo", "again", nil)
	assert.NoError(t, err)
}

func TestRun_ChildSeesNothingOfItsParent(t *testing.T) {
	t.Setenv("ROADSTEAD_SECRET", "hunter2")
	found, err := seatOf(t, tested(t, time.Minute), "tenant").Run(t.Context(), "surroundings", nil, nil)
	require.NoError(t, err)
	require.Len(t, found, 3)
	assert.JSONEq(t, `[]`, string(found[0]), "the environment")
	assert.JSONEq(t, `["/proc/self/exe", "sandbox", "surroundings"]`, string(found[1]))
	assert.JSONEq(t, `true`, string(found[2]), "a process group of its own")
}

func TestRun_Lookups(t *testing.T) {
	seat := seatOf(t, tested(t, 30*time.Second), "tenant")
	told := func(_ context.Context, question json.RawMessage) (json.RawMessage, error) {
		var name string
		if err := json.Unmarshal(question, &name); err != nil || name == "secret" {
			return nil, errors.New("not for charts")
		}
		return json.Marshal("found " + name)
	}
	found, err := seat.Run(t.Context(), "lookups", []string{"a", "b"}, told)
	require.NoError(t, err)
	assert.Equal(t, []json.RawMessage{json.RawMessage(`"found a"`), json.RawMessage(`"found b"`)}, found)

	_, err = seat.Run(t.Context(), "lookups", []string{"a", "secret"}, told)
	assert.Equal(t, KindRefused, KindOf(err))
	assert.ErrorContains(t, err, "not for charts")

	_, err = seat.Run(t.Context(), "lookups", []string{"a"}, nil)
	assert.ErrorContains(t, err, "lookups are not supported")

	_, err = seat.Run(t.Context(), "lookups", slices.Repeat([]string{"a"}, maxLookups+1), told)
	assert.Equal(t, KindCrashed, KindOf(err))

	_, err = seat.Run(t.Context(), "lookups", []string{"a"}, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return make(json.RawMessage, maxAnswer+1), nil
	})
	assert.ErrorContains(t, err, "answer is larger than 4 MiB")
}

// resident returns the memory of this process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int
	_, err = fmt.Sscan(string(content), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// TestRun_MemoryOfTheParent is not parallel, because other tests would be measured, too.
func TestRun_MemoryOfTheParent(t *testing.T) {
	seat := seatOf(t, tested(t, 5*time.Second), "tenant")
	_, err := seat.Run(t.Context(), "echo", "warm", nil)
	require.NoError(t, err)
	before := resident(t)
	handlers := []string{"recursion", "noise", "endless"}
	if !shadowed { // with the race detector, the memory of a child is not limited
		handlers = append(handlers, "memory")
	}
	for _, handler := range handlers {
		_, err := seat.Run(t.Context(), handler, nil, nil)
		require.Error(t, err, handler)
	}
	grown := resident(t) - before
	t.Logf("the parent grew by %d KiB", grown>>10)
	assert.Less(t, grown, 20<<20)
}
