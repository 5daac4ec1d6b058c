// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCondition_IsJudgedAtEachRequest(t *testing.T) {
	g := New()
	message := ""
	g.Condition("lease", func() string { return message })
	code, _ := ask(t, g, &things)
	require.Equal(t, http.StatusNoContent, code)

	message = "the Lease was not renewed"
	code, body := ask(t, g, &things)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, message)
	require.Contains(t, body, `"reason":"ServiceUnavailable"`)
	code, _ = ask(t, g, nil)
	require.Equal(t, http.StatusNoContent, code, "discovery and health pass")
	g.Open("lease")
	code, _ = ask(t, g, &things)
	require.Equal(t, http.StatusServiceUnavailable, code, "Open is for what was closed")

	message = ""
	code, _ = ask(t, g, &things)
	require.Equal(t, http.StatusNoContent, code)
}

func TestCondition_IsReplacedAndRemovedByCause(t *testing.T) {
	g := New()
	g.Condition("lease", func() string { return "first" })
	g.Condition("disk", func() string { return "another cause" })
	g.Condition("lease", func() string { return "" })
	_, body := ask(t, g, &things)
	require.Contains(t, body, "another cause")
	g.Condition("disk", nil)
	code, _ := ask(t, g, &things)
	require.Equal(t, http.StatusNoContent, code)
}

func TestCondition_IsNotAskedWhileACauseIsClosed(t *testing.T) {
	g := New()
	g.Condition("lease", func() string {
		t.Error("asked")
		return "the Lease was not renewed"
	})
	g.Close("store", All, "the store is another one")
	defer g.Open("store")
	_, body := ask(t, g, &things)
	require.Contains(t, body, "the store is another one")
}

// TestCondition_MayCloseTheGate: a condition may use the gate while other callers use it as well.
func TestCondition_MayCloseTheGate(t *testing.T) {
	g := New()
	var stale atomic.Bool
	g.Condition("lease", func() string {
		if !stale.Load() {
			return ""
		}
		g.Close("lease", All, "closed by the condition")
		return "the Lease was not renewed"
	})
	var requests sync.WaitGroup
	for range 8 {
		requests.Go(func() {
			for range 100 {
				code, _ := ask(t, g, &things)
				assert.Contains(t, []int{http.StatusNoContent, http.StatusServiceUnavailable}, code)
			}
		})
	}
	for n := range 100 {
		g.Condition("other", func() string { return "" })
		stale.Store(n%2 == 0)
		g.Open("lease")
	}
	stale.Store(true)
	requests.Wait()
	code, _ := ask(t, g, &things)
	require.Equal(t, http.StatusServiceUnavailable, code)
	stale.Store(false)
	g.Open("lease")
	code, _ = ask(t, g, &things)
	require.Equal(t, http.StatusNoContent, code)
}
