// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"crypto/tls"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// answered404 matches the counter of 404 responses for Domains.
var answered404 = regexp.MustCompile(`(?m)^apiserver_request_total\{code="404",[^}]*resource="domains"[^}]*verb="GET"[^}]*\} \d+$`)

// TestStop_WaitsForNoClient stops an API server while a client has declared a body that it does not
// send. The request is already served, and its connection stays busy.
func TestStop_WaitsForNoClient(t *testing.T) {
	one := replicas(1)[0]
	awaitServed(t, replicas(1))
	config := env.Direct(one.Address())
	trusted, err := rest.TLSConfigFor(config)
	require.NoError(t, err)
	trusted.NextProtos = []string{"http/1.1"}
	before := answers(t, config)
	conn, err := tls.Dial("tcp", one.Address(), trusted)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "GET %s/missing HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{",
		framework.DomainsPath("default"), one.Address())
	require.NoError(t, err)
	framework.Await(t, "the request to be served", func() error {
		if answers(t, config) == before {
			return fmt.Errorf("still %q", before)
		}
		return nil
	})
	begin := time.Now()
	require.NoError(t, one.Stop())
	require.Less(t, time.Since(begin), 20*time.Second)
	require.NoError(t, one.Start(t.Context()))
	awaitServed(t, replicas(1))
}

func answers(t *testing.T, config *rest.Config) string {
	t.Helper()
	metrics, err := framework.Try(t.Context(), config, framework.Request{Path: "/metrics", Accept: "text/plain"})
	require.NoError(t, err)
	return answered404.FindString(string(metrics.Body))
}
