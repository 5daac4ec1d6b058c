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
	ctrl "sigs.k8s.io/controller-runtime"

	"roadstead.dev/roadstead/pkg/controllers/epoch"
)

// bindEpoch waits for the record of the store and makes the manager end when the record names another epoch. It must come
// before anything starts a cache, so that no cache is older than the record.
func (o *Options) bindEpoch(ctx context.Context, mgr ctrl.Manager) error {
	stop, err := serveWaiting(o.MetricsBindAddress)
	if err != nil {
		return err
	}
	held, err := epoch.Await(ctx, mgr.GetAPIReader(), o.Namespace)
	stop()
	if err != nil {
		return err
	}
	return mgr.Add(epoch.NewWatch(mgr.GetAPIReader(), o.Namespace, held))
}

// serveWaiting answers health checks until the manager does: alive, because a restart would not shorten the wait, and not
// ready. stop releases the address.
func serveWaiting(address string) (stop func(), err error) {
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
		http.Error(w, "waiting for the record of the store", http.StatusServiceUnavailable)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			klog.ErrorS(err, "Health checks are not answered")
		}
	}()
	return func() {
		_ = server.Close()
		_ = listener.Close() // if Serve has not begun
	}, nil
}
