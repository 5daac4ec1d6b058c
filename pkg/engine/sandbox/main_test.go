// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets this test binary act as its own child, like cmd/controller.
func TestMain(m *testing.M) {
	group, _ := syscall.Getpgid(0)
	ownGroup = group == os.Getpid()
	if len(os.Args) == 3 && os.Args[1] == Argument && strings.HasPrefix(os.Args[2], "short ") {
		os.Exit(serve([]string{strings.TrimPrefix(os.Args[2], "short ")}, hostile, limits{data: MaxMemory, cpu: 1, duration: 3 * time.Second}))
	}
	Main(os.Args, hostile)
	os.Exit(m.Run())
}

// ownGroup reports whether this process leads a process group. A child cannot determine it later.
var ownGroup bool

// hostile contains handlers that do what a chart might do if it could run any code.
var hostile = map[string]Handler{
	"echo": func(_ context.Context, request json.RawMessage, _ Lookup) ([]any, error) { return []any{request}, nil },
	"objects": func(_ context.Context, request json.RawMessage, _ Lookup) ([]any, error) {
		var wanted struct{ Count, Size int }
		if err := json.Unmarshal(request, &wanted); err != nil {
			return nil, err
		}
		return slices.Repeat([]any{strings.Repeat("x", wanted.Size)}, wanted.Count), nil
	},
	"refuse": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		return nil, fmt.Errorf("wrapped: %w", &Refusal{Code: "Bad", Text: "line\nbreak " + strings.Repeat("x", 10*maxText)})
	},
	"lookups": func(_ context.Context, request json.RawMessage, lookup Lookup) ([]any, error) {
		var questions []string
		if err := json.Unmarshal(request, &questions); err != nil {
			return nil, err
		}
		var all []any
		for _, question := range questions {
			encoded, _ := json.Marshal(question)
			found, err := lookup(encoded)
			if err != nil {
				return nil, err
			}
			all = append(all, found)
		}
		return all, nil
	},
	"surroundings": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		return []any{os.Environ(), os.Args, ownGroup}, nil
	},
	"loop": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		for n := 0; ; n++ {
			runtime.KeepAlive(n)
		}
	},
	"sleep": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		time.Sleep(time.Hour)
		return nil, nil
	},
	"panic":  func(context.Context, json.RawMessage, Lookup) ([]any, error) { panic("the handler is broken") },
	"exit":   func(context.Context, json.RawMessage, Lookup) ([]any, error) { os.Exit(0); return nil, nil },
	"memory": func(context.Context, json.RawMessage, Lookup) ([]any, error) { return []any{hoard()}, nil },
	"recursion": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		return []any{deeper(1)}, nil
	},
	"thread": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		_, _ = os.Stderr.WriteString("runtime: failed to create new OS thread (have 5 already; errno=12)\n")
		os.Exit(2)
		return nil, nil
	},
	"noise": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		for range 1000 {
			_, _ = os.Stderr.WriteString(strings.Repeat("noise ", 1000))
		}
		return nil, errors.New("enough")
	},
	"raw": func(_ context.Context, request json.RawMessage, _ Lookup) ([]any, error) {
		var output []byte
		if err := json.Unmarshal(request, &output); err != nil {
			return nil, err
		}
		_, _ = os.Stdout.Write(output)
		time.Sleep(time.Hour)
		return nil, nil
	},
	"endless": func(context.Context, json.RawMessage, Lookup) ([]any, error) {
		for {
			if writeJSON(os.Stdout, message{Object: json.RawMessage(`{}`)}) != nil {
				return nil, errors.New("the parent stopped reading")
			}
		}
	},
	"call": tryCall,
}

// hoard allocates until it fails.
func hoard() int {
	var all [][]byte
	for {
		piece := make([]byte, 8<<20)
		for i := range piece {
			piece[i] = 1
		}
		all = append(all, piece)
		if len(all) == 1<<20 {
			return len(all)
		}
	}
}

func deeper(n int) int {
	var room [512]byte
	if n < 0 {
		return 0
	}
	room[n%512] = byte(n)
	return deeper(n+1) + int(room[(n+1)%512])
}

// tested returns a tested Sandbox with a time-out.
func tested(t *testing.T, timeout time.Duration) *Sandbox {
	t.Helper()
	s := New(Options{Timeout: timeout})
	s.setUsable(nil)
	return s
}

// seatOf reserves a seat for a test.
func seatOf(t *testing.T, s *Sandbox, namespace string) *Seat {
	t.Helper()
	seat, err := s.Reserve(t.Context(), namespace)
	require.NoError(t, err)
	t.Cleanup(seat.Leave)
	return seat
}
