// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"k8s.io/client-go/util/cert"
)

// kubeletPort is the port on which kube-apiserver expects a kubelet.
const kubeletPort = 10250

// serveKubelet serves the kubelet API of the node while the player runs, which consists of the logs
// of its pods. kube-apiserver accepts any certificate unless it is configured with a CA of
// kubelets.
func (p *Player) serveKubelet() error {
	if p.opts.Network == nil {
		return nil
	}
	address, err := p.opts.Network.Address(nodeIP)
	if err != nil {
		return err
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey(p.opts.NodeName, []net.IP{net.ParseIP(nodeIP)}, nil)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(kubeletPort)))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", p.containerLogs)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return p.ctx },
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}
	p.tasks.Go(func() {
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			p.opts.Logf("podplayer: serve logs: %v", err)
		}
	})
	context.AfterFunc(p.ctx, func() { _ = server.Close() })
	return nil
}

// followEvery is the interval at which a followed log is read.
const followEvery = 50 * time.Millisecond

// containerLogs answers as a kubelet does. It supports the options follow and tailLines.
func (p *Player) containerLogs(w http.ResponseWriter, r *http.Request) {
	namespace, pod, container := r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container")
	worker := p.worker(namespace, pod)
	if worker == nil {
		http.Error(w, "pod "+namespace+"/"+pod+" is not on this node", http.StatusNotFound)
		return
	}
	key, tail := logKey(namespace, pod, container), -1
	if n, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil {
		tail = n
	}
	lines, next := p.logs.since(key, 0)
	if tail >= 0 && len(lines) > tail {
		lines = lines[len(lines)-tail:]
	}
	for {
		// The state is read before the log, so that the log is complete when the container has
		// ended.
		ended := !worker.runs(container)
		more, after := p.logs.since(key, next)
		next = after
		for _, line := range append(lines, more...) {
			if _, err := io.WriteString(w, line+"\n"); err != nil {
				return
			}
		}
		lines = nil
		_ = http.NewResponseController(w).Flush()
		if r.URL.Query().Get("follow") != "true" || ended || !sleep(r.Context(), followEvery) {
			return
		}
	}
}

// runs reports whether a container of this name runs, or may run again.
func (w *worker) runs(container string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range append(w.init[:len(w.init):len(w.init)], w.main...) {
		if c.spec.Name == container {
			return w.phase == "" && !w.removed
		}
	}
	return false
}
