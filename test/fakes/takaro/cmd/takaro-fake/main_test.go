// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestRunServesUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0", "--connector-listen", "127.0.0.1:0", "--control", "--as-real"}, in)
	}()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	url := lines.Text()
	require.True(t, lines.Scan())
	token, found := strings.CutPrefix(lines.Text(), "admin token: ")
	require.True(t, found)
	require.True(t, lines.Scan())
	require.Regexp(t, `^connector: ws://127\.0\.0\.1:[1-9][0-9]*$`, lines.Text())

	req, err := http.NewRequest(http.MethodPost, url+"/domain/search", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("X-Takaro-Admin-Token", token)
	for _, call := range []func() (*http.Response, error){
		func() (*http.Response, error) { return http.DefaultClient.Do(req) },
		func() (*http.Response, error) { return http.Get(url + "/__control/domains") },
	} {
		res, err := call()
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.NoError(t, res.Body.Close())
	}
	realism, err := takaro.NewControlClient(url, nil).Realism(t.Context())
	require.NoError(t, err)
	assert.Equal(t, takaro.FullRealism(), realism)
	stop()
	require.NoError(t, <-ended)
	_, err = http.Get(url + "/healthz")
	assert.Error(t, err)
}

func TestRunRefusesWrongArguments(t *testing.T) {
	assert.ErrorContains(t, run(t.Context(), []string{"serve"}, io.Discard), "serve")
	assert.ErrorContains(t, run(t.Context(), []string{"--listen", "127.0.0.1:-1"}, io.Discard), "127.0.0.1:-1")
}
