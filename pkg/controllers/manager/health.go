// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/fence"
)

const (
	// hungAfter is how long one reconciliation may run before it is certain that it ignores its
	// deadline.
	hungAfter = 2 * base.DomainTimeout
	// lapsedAfter is how long after the end of its Lease a process may still run. It ends by itself
	// within seconds, unless the leader election hangs too.
	lapsedAfter = time.Minute
	// syncTimeout is how long a check waits for the caches. It is well below the timeout of a
	// probe, which is 1 s.
	syncTimeout = 500 * time.Millisecond
)

// health implements the checks of /healthz and /readyz.
type health struct {
	// fence is nil without leader election.
	fence *fence.Fence
	// synced waits until all caches that were started are filled, and reports whether they are. It
	// is nil before the manager exists.
	synced func(context.Context) bool
	// longest returns the reconciliation that has been running longest; see base.LongestRunning.
	longest func() (kind string, duration time.Duration)
}

// handlers returns the handlers that the manager serves in addition to metrics, by path.
func (h *health) handlers() map[string]http.Handler {
	serve := func(path string, checks map[string]healthz.Checker) http.Handler {
		return http.StripPrefix(path, &healthz.Handler{Checks: checks})
	}
	return map[string]http.Handler{
		// It fails only if a restart helps, so it does not depend on caches or the API server.
		"/healthz": serve("/healthz", map[string]healthz.Checker{"lease": h.lapsed, "reconciliations": h.hung}),
		// A standby replica is ready as well.
		"/readyz": serve("/readyz", map[string]healthz.Checker{"caches": h.filled, "lease": h.held}),
	}
}

func (h *health) lapsed(*http.Request) error {
	if h.fence == nil {
		return nil
	}
	if lapsed := h.fence.Lapsed(); lapsed > lapsedAfter {
		return fmt.Errorf("the Lease ended %s ago, and this process still runs", lapsed.Round(time.Second))
	}
	return nil
}

func (h *health) held(*http.Request) error {
	if h.fence == nil {
		return nil
	}
	return h.fence.Check()
}

func (h *health) hung(*http.Request) error {
	if kind, duration := h.longest(); duration > hungAfter {
		return fmt.Errorf("a reconciliation of kind %s has been running for %s", kind, duration.Round(time.Second))
	}
	return nil
}

func (h *health) filled(request *http.Request) error {
	ctx, cancel := context.WithTimeout(request.Context(), syncTimeout)
	defer cancel()
	if h.synced == nil || !h.synced(ctx) {
		return errors.New("not all caches are filled")
	}
	return nil
}

// serveStarting serves the health checks until the manager does: alive, because a restart would not
// shorten the start, and not ready. stop releases the address, and may be called more than once. If
// the address is empty, nothing is served.
func serveStarting(address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics-bind-address: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "starting: the log says what is awaited", http.StatusServiceUnavailable)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			klog.ErrorS(err, "Health checks are not answered")
		}
	}()
	return func() {
		_ = server.Close()
		_ = listener.Close() // if Serve has not been called
	}, nil
}
