// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"errors"
	"net"
	"strings"
)

// Errors of a server whose responses are not read any further.
var (
	errSpeaksTLS = errors.New("the server expects TLS, which mock game servers cannot use")
	errNotRedis  = errors.New("the server does not speak the Redis protocol")
	errTooLarge  = errors.New("the answers of the server are too large")
)

// Limits of all responses on one connection. The client library allocates the announced length
// before it reads the data, and a user chooses the server.
const (
	maxAnswerBytes    = 16 << 20
	maxAnswerElements = 1_000_000
)

// First bytes of Redis responses: those that are followed by a length, of a string or of a number
// of elements, and the others.
const (
	respTexts      = "$=!"
	respAggregates = "*~>%|"
	respLines      = "+-:_#,("
)

// Types of the TLS records that a server sends first: alert and handshake.
const (
	tlsAlert     = 21
	tlsHandshake = 22
)

// checkedConn is a connection that fails if the server sends data that does not conform to the
// Redis protocol, or too much data. Rejected data does not reach the client library.
type checkedConn struct {
	net.Conn
	answers respChecker
	// err is returned by every further read.
	err error
}

// Read implements net.Conn.
func (c *checkedConn) Read(data []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.Conn.Read(data)
	if c.err = c.answers.check(data[:n]); c.err != nil {
		return 0, c.err
	}
	return n, err
}

// respChecker parses the responses of a server without storing them.
type respChecker struct {
	bytes, elements int64
	// kind is the first byte of the current line, or 0 at the start of a line.
	kind byte
	// length is the part of a length that was read so far. null is set if it is negative.
	length int64
	null   bool
	// skip is the remaining length of a string.
	skip int64
}

// check returns an error if the next bytes must not be read.
func (r *respChecker) check(data []byte) error {
	first := r.bytes == 0
	if r.bytes += int64(len(data)); r.bytes > maxAnswerBytes {
		return errTooLarge
	}
	for len(data) > 0 {
		if r.skip > 0 {
			skipped := min(r.skip, int64(len(data)))
			r.skip, data = r.skip-skipped, data[skipped:]
			continue
		}
		if err := r.next(data[0]); err != nil {
			if first && (data[0] == tlsAlert || data[0] == tlsHandshake) {
				return errSpeaksTLS
			}
			return err
		}
		first, data = false, data[1:]
	}
	return nil
}

// next processes a byte that is not part of a string.
func (r *respChecker) next(b byte) error {
	hasLength := r.kind != 0 && strings.IndexByte(respTexts+respAggregates, r.kind) >= 0
	switch {
	case r.kind == 0:
		if strings.IndexByte(respTexts+respAggregates+respLines, b) < 0 {
			return errNotRedis
		}
		r.kind, r.length, r.null = b, 0, false
	case b == '\n':
		return r.endLine(hasLength)
	case !hasLength, b == '\r':
	case b == '-':
		r.null = true
	case b >= '0' && b <= '9':
		if r.length = r.length*10 + int64(b-'0'); r.length > maxAnswerBytes {
			return errTooLarge
		}
	default:
		return errNotRedis
	}
	return nil
}

// endLine processes the length in the current line.
func (r *respChecker) endLine(hasLength bool) error {
	kind := r.kind
	r.kind = 0
	switch {
	case !hasLength || r.null:
	case strings.IndexByte(respTexts, kind) >= 0:
		r.skip = r.length + int64(len("\r\n"))
	default:
		if kind == '%' || kind == '|' {
			r.length *= 2
		}
		if r.elements += r.length; r.elements > maxAnswerElements {
			return errTooLarge
		}
	}
	return nil
}
