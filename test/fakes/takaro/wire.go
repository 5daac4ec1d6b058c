// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"maps"
	"net"
	"net/http"
	"strconv"
	"time"
)

// write sends the answer; one without status cuts the connection.
func (s *Server) write(w http.ResponseWriter, hr *http.Request, p plan, rep *reply) {
	if rep.status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection and says nothing
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
		_, _ = w.Write(body) // the client may be gone: nothing to do about it
		return
	}
	s.trickle(w, hr, p.fault.Latency, body)
}

// trickle writes one byte at a time until the body is out or the client has left.
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

// takeDown says whether a FaultDown is at work, and uses it once.
func (s *Server) takeDown() bool { return s.takeFault(FaultDown) }

// takeFault says whether a fault of this kind is at work, and uses the first one once.
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

// refusingListener closes what it accepts while a FaultDown is at work. With control paths enabled it must let connections
// in, or nobody could end the fault; ServeHTTP then cuts those that ask for anything else.
type refusingListener struct {
	net.Listener
	server *Server
}

// Accept gives the next connection that is not refused.
func (l *refusingListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.server.opts.Control || !l.server.takeDown() {
			return c, err
		}
		_ = c.Close() // refused: an error of the close changes nothing
	}
}
