// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"crypto/tls"
	"log"
	"net"
	"os"
)

// secured serves TLS on a listener, or leaves it as it is without a configuration.
func secured(l net.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return l
	}
	return tls.NewListener(l, config)
}

// scheme is the beginning of a URL: that of the plain protocol, with an s behind it when it goes over TLS.
func scheme(plain string, config *tls.Config) string {
	if config == nil {
		return plain + "://"
	}
	return plain + "s://"
}

// serverLog takes what net/http says, but not of handshakes that clients break off: one that does not trust us does so at
// every try.
var serverLog = log.New(withoutHandshakes{}, "takaro stand-in: ", 0)

type withoutHandshakes struct{}

func (withoutHandshakes) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}
