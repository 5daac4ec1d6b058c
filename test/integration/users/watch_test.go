// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// TestNoWatchShowsAPassword verifies watch events, because their objects are shared by all watchers
// and encoded in different formats.
func TestNoWatchShowsAPassword(t *testing.T) {
	for _, watchers := range []int{1, 50} {
		t.Run(fmt.Sprint(watchers), func(t *testing.T) {
			tm := newTeam(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			code, _ := request(t, tm.Config, http.MethodPost, tm.path(""), asJSON, asJSON, userJSON("before", password()))
			require.Equal(t, http.StatusCreated, code)
			var all sync.WaitGroup
			var deleted, leaks atomic.Int64
			for n := range watchers {
				accept := []string{asJSON, asTable, asProtobuf + ";stream=watch", onlyMetadata}[n%4]
				stream := watch(ctx, t, tm.Config, tm.path("?watch=true&"+wholeTable+[]string{"", "&resourceVersion=0"}[n%2]), accept)
				all.Go(func() {
					defer func() { _ = stream.Close() }()
					// It returns an error when the test has read enough.
					read(stream, func(text []byte) bool {
						leaks.Add(shown(text))
						if !bytes.Contains(text, []byte("DELETED")) {
							return false
						}
						deleted.Add(1)
						return true
					})
				})
			}
			for _, step := range []struct{ method, rest, kind, body string }{
				{http.MethodPost, "", asJSON, userJSON("watched", password())},
				{http.MethodPatch, "/watched", mergePatch, `{"spec":{"roles":["Admin"]}}`},
				{http.MethodPatch, "/watched", mergePatch, `{"spec":{"password":"` + password() + `"}}`},
				{http.MethodDelete, "/watched", asJSON, ""},
				{http.MethodPatch, "/watched", mergePatch, `{"metadata":{"finalizers":null}}`},
			} {
				code, answer := request(t, tm.Config, step.method, tm.path(step.rest), step.kind, asJSON, step.body)
				require.Less(t, code, 300, "%s", answer)
			}
			tm.await("every watcher sees the end", func() error {
				return framework.Unless(deleted.Load() >= int64(watchers), "%d of %d", deleted.Load(), watchers)
			})
			cancel()
			all.Wait()
			assert.Zero(t, leaks.Load())
		})
	}
}

// shown returns the number of passwords in a text.
func shown(text []byte) (n int64) {
	for _, marker := range markers {
		n += int64(bytes.Count(text, []byte(marker)))
	}
	return n
}

// read calls seen with all data read so far after each read, until seen returns true or the stream
// ends.
func read(stream io.Reader, seen func(all []byte) bool) {
	var all []byte
	piece := make([]byte, 64<<10)
	for {
		n, err := stream.Read(piece)
		all = append(all, piece[:n]...)
		if seen(all) || err != nil {
			return
		}
	}
}

// watch opens a watch that lasts until ctx is done.
func watch(ctx context.Context, t *testing.T, config *rest.Config, path, accept string) io.ReadCloser {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, nil)
	require.NoError(t, err)
	r.Header.Set("Accept", accept)
	response, err := client.Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	return response.Body
}
