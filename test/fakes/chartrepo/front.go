// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Request is a request that was received.
type Request struct{ Method, Path, Authorization, IfNoneMatch string }

// front wraps the server: it records requests, requires a login and injects faults.
type front struct {
	inner    http.Handler
	server   *http.Server
	listener net.Listener

	mu       sync.Mutex
	requests []Request
	faults   map[string]Fault // by the suffix of the path
	login    func(http.ResponseWriter, *http.Request) bool
}

// serve starts to serve on a port of 127.0.0.1.
func (f *front) serve(config *tls.Config, inner http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("chartrepo: %w", err)
	}
	f.inner, f.faults = inner, map[string]Fault{}
	f.listener = tls.NewListener(listener, config)
	// Tests include clients that do not trust the certificate, so the log of handshakes is of no
	// use.
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = f.server.Serve(f.listener) }()
	return nil
}

// Host returns host and port.
func (f *front) Host() string { return f.listener.Addr().String() }

// Close ends the server and all its connections immediately.
func (f *front) Close() error { return f.server.Close() }

// Fail answers requests whose path ends in pathEnd by a fault, until Heal is called.
func (f *front) Fail(pathEnd string, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[pathEnd] = fault
}

// Heal removes all faults.
func (f *front) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// Requests returns the requests so far whose path ends in pathEnd.
func (f *front) Requests(pathEnd string) []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []Request
	for _, request := range f.requests {
		if strings.HasSuffix(request.Path, pathEnd) {
			found = append(found, request)
		}
	}
	return found
}

// RequireLogin answers 401 to requests without these credentials.
func (f *front) RequireLogin(username, password string) {
	f.setLogin(func(out http.ResponseWriter, in *http.Request) bool {
		if user, pass, _ := in.BasicAuth(); user == username && pass == password {
			return true
		}
		out.Header().Set("WWW-Authenticate", `Basic realm="charts"`)
		out.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(out, `{"errors":[{"code":"UNAUTHORIZED","message":"no such user"}]}`)
		return false
	})
}

// RequireToken answers 401 to requests without a token, which the service at realm issues. An empty
// realm means the path /token of this server. To an anonymous client, the service issues a token
// that grants nothing.
func (f *front) RequireToken(username, password, realm string) {
	token := rand.Text()
	if realm == "" {
		realm = "https://" + f.Host() + "/token"
	}
	f.setLogin(func(out http.ResponseWriter, in *http.Request) bool {
		if strings.HasSuffix(in.URL.Path, "/token") {
			given := rand.Text()
			if user, pass, _ := in.BasicAuth(); user == username && pass == password {
				given = token
			}
			_, _ = fmt.Fprintf(out, `{"token":%q}`, given)
			return false
		}
		if in.Header.Get("Authorization") == "Bearer "+token {
			return true
		}
		out.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm=%q,service="charts"`, realm))
		out.WriteHeader(http.StatusUnauthorized)
		return false
	})
}

func (f *front) setLogin(login func(http.ResponseWriter, *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.login = login
}

// ServeHTTP answers a request.
func (f *front) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, Request{
		Method: in.Method, Path: in.URL.Path, Authorization: in.Header.Get("Authorization"), IfNoneMatch: in.Header.Get("If-None-Match"),
	})
	var fault Fault
	for end, one := range f.faults {
		if strings.HasSuffix(in.URL.Path, end) {
			fault = one
		}
	}
	login := f.login
	f.mu.Unlock()
	switch {
	case fault != nil:
		fault(out, in)
	case login == nil || login(out, in):
		f.inner.ServeHTTP(out, in)
	}
}
