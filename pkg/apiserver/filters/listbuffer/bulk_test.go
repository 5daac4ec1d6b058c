// SPDX-License-Identifier: Apache-2.0

package listbuffer

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// counting counts the writes that go through it.
type counting struct {
	http.ResponseWriter
	writes int
}

func (c *counting) Write(part []byte) (int, error) {
	c.writes++
	return c.ResponseWriter.Write(part)
}

// serve responds to a request of a verb with 1,000 items, and returns the number of writes.
func serve(t *testing.T, verb string, http2 bool, each func(w http.ResponseWriter, n int)) (answer *http.Response,
	body []byte, writes int) {
	t.Helper()
	handler := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusAccepted)
		for n := range 1000 {
			_, err := fmt.Fprintf(w, "item %04d;", n)
			assert.NoError(t, err)
			if each != nil {
				each(w, n)
			}
		}
	}))
	counter := &counting{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counter.ResponseWriter = w
		var under http.ResponseWriter = counter
		if http2 || each != nil {
			under = w
		}
		handler.ServeHTTP(under, r.WithContext(genericapirequest.WithRequestInfo(r.Context(), &genericapirequest.RequestInfo{Verb: verb})))
	}))
	server.EnableHTTP2 = http2
	server.StartTLS()
	defer server.Close()
	answer, err := server.Client().Get(server.URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	body, err = io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, body, counter.writes
}

func TestAListIsWrittenInLargePieces(t *testing.T) {
	var want bytes.Buffer
	for n := range 1000 {
		fmt.Fprintf(&want, "item %04d;", n)
	}
	for verb, writes := range map[string]int{"list": 1, "get": 1000, "watch": 1000} {
		answer, body, got := serve(t, verb, false, nil)
		require.Equal(t, want.String(), string(body), verb)
		require.Equal(t, http.StatusAccepted, answer.StatusCode)
		require.Equal(t, writes, got, verb)
	}
	answer, body, _ := serve(t, "list", true, nil)
	require.Equal(t, 2, answer.ProtoMajor)
	require.Equal(t, want.String(), string(body))
}

func TestWhatIsFlushedIsSent(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		answer, body, _ := serve(t, "list", http2, func(w http.ResponseWriter, n int) {
			if n == 10 {
				w.(http.Flusher).Flush()
			}
		})
		require.Len(t, body, 10000)
		require.EqualValues(t, -1, answer.ContentLength, "it was begun before its length was known")
	}
}

func TestAfterAPanicNothingIsSent(t *testing.T) {
	handler := Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half a"))
		panic(http.ErrAbortHandler)
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(genericapirequest.WithRequestInfo(r.Context(), &genericapirequest.RequestInfo{Verb: "list"})))
	}))
	defer server.Close()
	_, err := server.Client().Get(server.URL)
	require.Error(t, err)
}
