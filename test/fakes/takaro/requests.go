// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"slices"
	"time"
)

// keptRequests bounds Requests; Count has no such bound.
const keptRequests = 10000

// Request is one request that arrived. Those that a FaultDown refused never arrived; control paths are not counted.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	// Status of the answer: 0 while it is being worked on, and for ever when the connection was cut.
	Status int
	// Fault is the kind of the fault that met it, FaultLatency aside; empty for none.
	Fault FaultKind
}

type requestKey struct{ method, path string }

type requestLog struct {
	kept   []*Request
	counts map[requestKey]int
	total  int
}

func (l *requestLog) reset() { *l = requestLog{counts: map[requestKey]int{}} }

// arrive notes a request and chooses its faults.
func (s *Server) arrive(r *http.Request) (*Request, plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	p := s.faults.plan(r.Method, r.URL.Path)
	e := &Request{Time: s.opts.Now(), Method: r.Method, Path: r.URL.Path, Fault: p.fault.Kind}
	if len(s.log.kept) >= 2*keptRequests {
		s.log.kept = slices.Clone(s.log.kept[keptRequests:])
	}
	s.log.kept = append(s.log.kept, e)
	s.log.counts[requestKey{e.Method, e.Path}]++
	s.log.total++
	return e, p
}

func (s *Server) depart(e *Request, rep *reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Status = rep.status
}

// Requests lists the latest requests since the start or the last ResetCounts, oldest first; at least the last 10,000.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, 0, len(s.log.kept))
	for _, e := range s.log.kept {
		out = append(out, *e)
	}
	return out
}

// Count is how many requests arrived since the start or the last ResetCounts. An empty method or pattern means all;
// the pattern is that of Fault.Path.
func (s *Server) Count(method, pathPattern string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for k, c := range s.log.counts {
		if (method == "" || method == k.method) && matchPath(pathPattern, k.path) {
			n += c
		}
	}
	return n
}

// ResetCounts forgets all requests that arrived so far.
func (s *Server) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.reset()
}
