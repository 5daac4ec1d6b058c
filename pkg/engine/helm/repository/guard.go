// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// guard is below everything that sends requests, redirects and token services too: it alone decides where credentials go.
type guard struct {
	inner http.RoundTripper
	// own is the authority of the repository, which alone gets credentials.
	own string
	// basic goes with each request to it. For registries it is empty, and the header that go-containerregistry sets is left.
	basic    Credentials
	registry bool

	mu       sync.Mutex
	withheld string // a host that would have got credentials
	failed   error  // of the last request that got no answer
}

// RoundTrip sends a request over TLS or not at all.
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

// failure is why the last request that got no answer got none.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// withheldFrom is the host that asked for credentials and did not get them, or empty.
func (g *guard) withheldFrom() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.withheld
}

// guarded is what requests to one repository go through.
func (c *Client) guarded(at *url.URL, credentials Credentials) *guard {
	g := &guard{inner: c.wire, own: authority(at), registry: at.Scheme == schemeOCI}
	if !g.registry {
		g.basic = credentials
	}
	return g
}

// over makes a client that follows a few redirects, which the guard looks at as well.
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

// limited bounds the answers that go-containerregistry reads itself, some of them to their end.
type limited struct{ inner http.RoundTripper }

// RoundTrip gives an answer that ends after what the largest may have.
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
