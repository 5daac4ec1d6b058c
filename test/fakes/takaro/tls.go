// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"crypto/tls"
	"log"
	"net"
	"os"
)

// secured returns a listener that serves TLS, or l itself without a configuration.
func secured(l net.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return l
	}
	return tls.NewListener(l, config)
}

// scheme returns the scheme of a URL: that of the plain protocol, with an appended s if TLS is
// configured.
func scheme(plain string, config *tls.Config) string {
	if config == nil {
		return plain + "://"
	}
	return plain + "s://"
}

// serverLog logs the errors of net/http, but not those of handshakes that clients abort: a client
// that does not trust the certificate aborts one at every attempt.
var serverLog = log.New(withoutHandshakes{}, "takaro stand-in: ", 0)

type withoutHandshakes struct{}

func (withoutHandshakes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}
