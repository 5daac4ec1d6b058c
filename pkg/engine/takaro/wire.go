// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"
)

// newWire makes the HTTP side of a client. Redirects are never followed: Takaro makes none, net/http would turn
// a redirected POST into a GET, and the admin token must not travel to another host.
func newWire(o Options, caBundle []byte) (*http.Client, error) {
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(caBundle) > 0 {
		tlsConfig.RootCAs = x509.NewCertPool()
		if !tlsConfig.RootCAs.AppendCertsFromPEM(caBundle) {
			return nil, &InputError{Message: "the CA bundle holds no certificate in PEM form"}
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

// checkToken refuses a token that cannot be a header value, before net/http quotes it in an error.
func checkToken(token string) error {
	if token == "" {
		return &InputError{Message: "the Takaro admin token is empty: fill the key in its Secret"}
	}
	for i := range len(token) {
		if c := token[i]; c <= ' ' || c >= 0x7f {
			return &InputError{Message: "the Takaro admin token holds a space, a line break or a character that a header cannot carry: " +
				"check its Secret (a trailing line break is the usual cause)"}
		}
	}
	return nil
}
