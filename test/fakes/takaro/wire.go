// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"
)

// write sends the response. One without a status cuts the connection.
func (s *Server) write(w http.ResponseWriter, hr *http.Request, p plan, rep *reply) {
	if rep.status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection without a log entry
	}
	contentType, body := rep.encode()
	maps.Copy(w.Header(), rep.header)
	w.Header().Set("Content-Type", contentType)
	if p.fault.Kind == FaultEndless {
		w.WriteHeader(rep.status)
		s.pourOut(w, hr, p.fault, *rep)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(rep.status)
	if p.fault.Kind != FaultSlowBody {
		_, _ = w.Write(body) // a client that has disconnected needs no answer
		return
	}
	s.trickle(w, hr, p.fault.Latency, body)
}

// trickle writes one byte at a time until the body is complete or the client has disconnected.
func (s *Server) trickle(w http.ResponseWriter, hr *http.Request, interval time.Duration, body []byte) {
	if interval == 0 {
		interval = time.Second
	}
	out := http.NewResponseController(w)
	_ = out.Flush() // a writer that cannot flush sends the bytes together at the end
	for i := range body {
		if !s.sleep(hr.Context(), interval) {
			panic(http.ErrAbortHandler)
		}
		if _, err := w.Write(body[i : i+1]); err != nil {
			panic(http.ErrAbortHandler)
		}
		_ = out.Flush() // as above
	}
}

// takeDown reports whether a FaultDown is active, and uses it once.
func (s *Server) takeDown() bool { return s.takeFault(FaultDown) }

// takeFault reports whether a fault of this kind is active, and uses the first one once.
func (s *Server) takeFault(kind FaultKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := false
	return len(s.faults.take(func(f Fault) bool {
		first := f.Kind == kind && !chosen
		chosen = chosen || first
		return first
	})) > 0
}

// refusingListener closes accepted connections while a FaultDown is active. With control paths
// enabled it must accept connections, because the fault could otherwise not be removed; ServeHTTP
// then cuts those with a request for any other path.
type refusingListener struct {
	net.Listener
	server *Server
}

// Accept returns the next connection that is not refused.
func (l *refusingListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.server.opts.Control || !l.server.takeDown() {
			return c, err
		}
		_ = c.Close() // an error of Close has no effect: the connection is refused
	}
}
