// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// probes accepts any certificate, as kubelet does, and does not reuse connections, so that a
// program can terminate.
var probes = &http.Client{
	Timeout:   time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
}

// ServeHTTP forwards a probe to the program.
func (r *run) ServeHTTP(w http.ResponseWriter, probe *http.Request) {
	_, port, err := net.SplitHostPort(probe.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	url := *probe.URL
	url.Host = net.JoinHostPort(r.address, port)
	request, err := http.NewRequestWithContext(probe.Context(), http.MethodGet, url.String(), http.NoBody)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	answer, err := probes.Do(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_ = answer.Body.Close()
	w.WriteHeader(answer.StatusCode)
}
