// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// guard is a class whose requests wait for a place.
func guard() Class {
	return Class{Name: "guard", Resources: []schema.GroupResource{resource("crdguard")}, Size: Large, Deadline: limit,
		Memory: 64 << 20, CallerMemory: 16 << 20, Places: 1, CallerPlaces: 1, Wait: limit}
}

// TestHandler_SlowBodiesHoldNoPlace shows that large bodies that arrive slowly keep no place from
// others of their class, and nothing at all from another class.
func TestHandler_SlowBodiesHoldNoPlace(t *testing.T) {
	protocols(t, func(t *testing.T, http2 bool) {
		limiter := New(ordinary(), guard(), definitions())
		server := serve(t, limiter, http2, reading)
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 20 {
			server.send(ctx, drip(t, "crdschemas", fmt.Sprintf("slow-%d", i), Small+1, 1))
		}
		class := limiter.classes[resource("crdschemas")]
		eventually(t, "all have begun", func() bool { _, callers := class.memory.used(); return callers == 20 })
		taken, _ := class.memory.used()
		require.EqualValues(t, 20, taken, "what is declared takes nothing")
		for _, name := range []string{"crdguard", "crdschemas"} {
			got := server.do(t.Context(), filled(name, "alice", Small+1))
			require.NoError(t, got.err)
			require.Equal(t, http.StatusOK, got.code, got.body)
		}
		cancel()
		requireUnused(t, limiter)
	})
}

func TestHandler_MemoryOfAClass(t *testing.T) {
	const sent = 1 << 20
	class := definitions()
	class.Memory, class.CallerMemory = 5<<20, 2<<20
	for name, tc := range map[string]struct {
		// slow are users who have sent 1 MiB each.
		slow []string
		next request
		want int
	}{
		"available":              {[]string{"a", "b"}, filled("crdschemas", "c", sent), http.StatusOK},
		"share of the caller":    {[]string{"a", "a"}, filled("crdschemas", "a", 1000), http.StatusTooManyRequests},
		"shares of others":       {[]string{"a", "a"}, filled("crdschemas", "b", sent), http.StatusOK},
		"all in use":             {[]string{"a", "b", "c", "d", "e"}, filled("crdschemas", "f", 1000), http.StatusTooManyRequests},
		"another class":          {[]string{"a", "b", "c", "d", "e"}, filled("domains", "a", sent), http.StatusOK},
		"system:masters":         {[]string{"a", "a"}, masters(filled("crdschemas", "a", 2*sent)), http.StatusOK},
		"limit holds for all":    {[]string{"a", "b", "c", "d", "e"}, masters(filled("crdschemas", "a", sent)), http.StatusTooManyRequests},
		"body without an ending": {nil, filled("crdschemas", "a", 3*sent), http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			limiter := New(ordinary(), class)
			server := serve(t, limiter, true, reading)
			ctx, cancel := context.WithCancel(t.Context())
			for _, user := range tc.slow {
				server.send(ctx, drip(t, "crdschemas", user, Large, sent))
			}
			memory := limiter.classes[resource("crdschemas")].memory
			eventually(t, "the slow bodies have arrived", func() bool {
				taken, _ := memory.used()
				return taken == int64(len(tc.slow))*sent
			})
			got := server.do(t.Context(), tc.next)
			require.NoError(t, got.err)
			assert.Equal(t, tc.want, got.code, got.body)
			if tc.want == http.StatusTooManyRequests {
				assert.Equal(t, "1", got.retry)
				assert.Contains(t, got.body, "are limited to 5 MiB, and to 2 MiB per user")
			}
			cancel()
			requireUnused(t, limiter)
		})
	}
}

func masters(r request) request {
	r.masters = true
	return r
}

// TestHandler_MemoryOfOthersIsBounded shows that bodies which the handler reads itself are charged
// too.
func TestHandler_MemoryOfOthersIsBounded(t *testing.T) {
	class := ordinary()
	class.Memory, class.CallerMemory = 2000, 1000
	limiter := New(class, definitions())
	server := serve(t, limiter, true, reading)
	got := server.do(t.Context(), filled("domains", "a", 1001))
	require.NoError(t, got.err)
	require.Equal(t, http.StatusTooManyRequests, got.code)
	require.Equal(t, "1", got.retry)
	require.Equal(t, http.StatusOK, server.do(t.Context(), filled("domains", "a", 1000)).code)
	requireUnused(t, limiter)
}

// holding is a handler that serves requests until release is closed.
func holding(begun chan<- string, release <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		begun <- r.Header.Get("User")
		<-release
	}
}

func TestHandler_PlacesAreRefused(t *testing.T) {
	class := definitions()
	class.Places, class.CallerPlaces = 2, 1
	begun, release := make(chan string, 10), make(chan struct{})
	limiter := New(ordinary(), class)
	server := serve(t, limiter, true, holding(begun, release))
	first := server.send(t.Context(), filled("crdschemas", "a", Small+1))
	<-begun
	got := server.do(t.Context(), filled("crdschemas", "a", Small+1))
	require.Equal(t, http.StatusTooManyRequests, got.code)
	require.Equal(t, "1", got.retry)
	require.Contains(t, got.body, "concurrent requests with bodies above 3 MiB are limited to 2, and to 1 per user")
	second := server.send(t.Context(), filled("crdschemas", "b", Small+1))
	<-begun
	require.Equal(t, http.StatusTooManyRequests, server.do(t.Context(), filled("crdschemas", "c", Small+1)).code)
	small := server.send(t.Context(), filled("crdschemas", "c", Small))
	<-begun
	close(release)
	for _, answers := range []<-chan answer{first, second, small} {
		require.Equal(t, http.StatusOK, (<-answers).code)
	}
	require.Equal(t, http.StatusOK, server.do(t.Context(), filled("crdschemas", "a", Small+1)).code, "the places are available again")
	requireUnused(t, limiter)
}

func TestHandler_PlacesAreAwaited(t *testing.T) {
	begun, release := make(chan string, 10), make(chan struct{})
	limiter := New(ordinary(), guard())
	server := serve(t, limiter, true, holding(begun, release))
	first := server.send(t.Context(), filled("crdguard", "a", Small+1))
	<-begun
	second := server.send(t.Context(), filled("crdguard", "a", Small+1))
	memory := limiter.classes[resource("crdguard")].memory
	eventually(t, "the second body has arrived", func() bool { taken, _ := memory.used(); return taken == 2*(Small+1) })
	select {
	case <-begun:
		require.Fail(t, "two requests have the only place")
	default:
	}
	ctx, cancel := context.WithCancel(t.Context())
	third := server.send(ctx, filled("crdguard", "a", Small+1))
	eventually(t, "the third body has arrived", func() bool { taken, _ := memory.used(); return taken == 3*(Small+1) })
	cancel()
	require.Error(t, (<-third).err)
	eventually(t, "a client that disconnects waits no longer", func() bool { taken, _ := memory.used(); return taken == 2*(Small+1) })
	close(release)
	for _, answers := range []<-chan answer{first, second} {
		require.Equal(t, http.StatusOK, (<-answers).code)
	}
}

func TestHandler_PlacesAreNotAwaitedForEver(t *testing.T) {
	class := guard()
	class.Wait = 50 * time.Millisecond
	begun, release := make(chan string, 10), make(chan struct{})
	server := serve(t, New(ordinary(), class), true, holding(begun, release))
	first := server.send(t.Context(), filled("crdguard", "a", Small+1))
	<-begun
	require.Equal(t, http.StatusTooManyRequests, server.do(t.Context(), filled("crdguard", "b", Small+1)).code)
	close(release)
	require.Equal(t, http.StatusOK, (<-first).code)
}
