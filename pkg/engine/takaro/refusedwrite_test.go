// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRefusedWritesAreNeutral checks that the writes that BeforeWrite rejects are not counted as failures of the
// endpoint, because the circuit would stay open for the controller's next requests.
func TestRefusedWritesAreNeutral(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) { reply(w, 200, data([]any{})) })
	secure := httptest.NewTLSServer(s.handler(always(200, data([]any{}))))
	t.Cleanup(secure.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	for _, e := range []Endpoint{{URL: s.URL}, {URL: secure.URL, CABundle: ca}} {
		var lost atomic.Bool
		fenced := errors.New("the Lease may be lost")
		o := testOptions(newSkipClock())
		o.FailureThreshold = 2
		o.Dial.BeforeWrite = func() error {
			if lost.Load() {
				return fenced
			}
			return nil
		}
		p := newTestPool(t, o)
		e.AdminToken = NewSecret(testToken)
		c, err := p.Client(e)
		require.NoError(t, err)
		require.NoError(t, c.checkAdmin(context.Background()))
		lost.Store(true)
		before := len(s.requests())
		for range 2 {
			require.ErrorIs(t, c.checkAdmin(context.Background()), fenced, "on an open connection")
			require.ErrorIs(t, create(c), fenced, "on a new connection")
		}
		require.Len(t, s.requests(), before)
		open, _ := c.endpoint.breaker.state()
		require.False(t, open, e.URL)
		require.Zero(t, c.endpoint.breaker.failures, e.URL)
		require.Empty(t, o.Clock.(*skipClock).waits(), "the request is not repeated")
		lost.Store(false)
		require.NoError(t, c.checkAdmin(context.Background()))
	}
}
