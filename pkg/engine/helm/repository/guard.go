// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// guard is the transport below all senders of requests, including redirects and token services. It alone decides where
// credentials are sent.
type guard struct {
	inner http.RoundTripper
	// own is the authority of the repository, which is the only one that receives credentials.
	own string
	// basic is sent with each request to own. It is empty for registries, for which the header of go-containerregistry
	// is kept.
	basic    Credentials
	registry bool

	mu       sync.Mutex
	withheld string // a host to which credentials were not sent
	failed   error  // error of the last request without a response
}

// RoundTrip sends a request over TLS only.
func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != schemeHTTPS {
		return nil, errNotHTTPS
	}
	given := request.Header.Get("Authorization")
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", "roadstead")
	isOwn := authority(request.URL) == g.own
	if !isOwn || !g.registry {
		request.Header.Del("Authorization")
	}
	switch {
	case isOwn && !g.basic.Empty():
		request.SetBasicAuth(g.basic.username, g.basic.password)
	case !isOwn && g.registry && strings.HasPrefix(given, "Basic "):
		g.mu.Lock()
		g.withheld = request.URL.Host
		g.mu.Unlock()
	}
	response, err := g.inner.RoundTrip(request)
	if err != nil {
		g.mu.Lock()
		g.failed = err
		g.mu.Unlock()
	}
	return response, err
}

// failure returns the error of the last request without a response.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// withheldFrom returns the host that requested credentials and did not receive them, or "".
func (g *guard) withheldFrom() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.withheld
}

// guarded returns the transport for requests to one repository.
func (c *Client) guarded(at *url.URL, credentials Credentials) *guard {
	g := &guard{inner: c.wire, own: authority(at), registry: at.Scheme == schemeOCI}
	if !g.registry {
		g.basic = credentials
	}
	return g
}

// over returns a client that follows a limited number of redirects, which also pass the guard.
func over(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return errRedirects
			}
			return nil
		},
	}
}

// limited limits the size of responses that go-containerregistry reads itself.
type limited struct{ inner http.RoundTripper }

// RoundTrip returns a response whose body ends after the maximum size.
func (l limited) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.inner.RoundTrip(request)
	if err == nil {
		response.Body = &limitedBody{Reader: io.LimitReader(response.Body, MaxArchive+1), Closer: response.Body}
	}
	return response, err
}

type limitedBody struct {
	io.Reader
	io.Closer
}
