// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"
)

// newWire returns the HTTP client. Redirects are never followed: Takaro sends none, net/http would change a redirected
// POST to a GET, and the admin token must not be sent to another host.
func newWire(o Options, caBundle []byte) (*http.Client, error) {
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(caBundle) > 0 {
		tlsConfig.RootCAs = x509.NewCertPool()
		if !tlsConfig.RootCAs.AppendCertsFromPEM(caBundle) {
			return nil, &InputError{Message: "CA bundle contains no PEM certificate"}
		}
	}
	transport := &http.Transport{
		DialContext:            o.Dial.DialContext,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 10 * time.Second},
		MaxIdleConnsPerHost:    8,
		MaxConnsPerHost:        32,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if o.ProxyFromEnvironment {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// checkToken returns an error for a token that is not a valid header value, because net/http would quote it in an error.
func checkToken(token string) error {
	if token == "" {
		return &InputError{Message: "Takaro admin token is empty: set the key in its Secret"}
	}
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return &InputError{Message: "Takaro admin token contains a space, a line break or a character that is not allowed in a header: " +
				"check its Secret (a trailing line break is the usual cause)"}
		}
	}
	return nil
}
