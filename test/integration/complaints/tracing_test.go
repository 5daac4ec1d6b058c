// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"roadstead.dev/roadstead/test/framework"
)

// receiver receives spans like a collector and stores the span names of each trace.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex
	names map[string][]string
}

// Export receives spans.
func (r *receiver) Export(_ context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				id := hex.EncodeToString(span.GetTraceId())
				r.names[id] = append(r.names[id], span.GetName())
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// TestTracesGoOnThroughTheHost verifies that, with --tracing-config-file, a trace started by a
// client contains spans of Roadstead although the request passed through kube-apiserver.
func TestTracesGoOnThroughTheHost(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	spans := &receiver{names: map[string][]string{}}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, spans)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	restart(t, "--tracing-config-file="+framework.File(t, "tracing.yaml",
		"apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: "+listener.Addr().String()+
			"\nsamplingRatePerMillion: 0\n", 0o600))
	const trace = "0af7651916cd43dd8448eb211c80319c"
	// Only the trace contexts of system:masters and system:monitoring are accepted. Accepting them
	// from all users would allow flooding the collector.
	config := env.Cluster.AdminConfig()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return traced{next, "00-" + trace + "-b7ad6b7169203331-01"}
	})
	require.Equal(t, http.StatusOK, framework.Do(t, config, framework.Request{Path: framework.DomainsPath("default")}).Code)
	framework.Await(t, "the span", func() error {
		spans.mu.Lock()
		defer spans.mu.Unlock()
		for _, name := range spans.names[trace] {
			if name == "GET /apis/takaro.roadstead.dev/v1alpha1/namespaces/{:namespace}/domains" {
				return nil
			}
		}
		return errors.New("no span yet")
	})
}

// traced adds a trace context to each request.
type traced struct {
	next   http.RoundTripper
	parent string
}

// RoundTrip adds the header.
func (t traced) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("traceparent", t.parent)
	return t.next.RoundTrip(request)
}
