// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"slices"
	"time"
)

// keptRequests bounds Requests. Count has no such bound.
const keptRequests = 10000

// Request is one request that arrived. Requests that a FaultDown refused do not arrive, and
// requests for control paths are not counted.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	// Status is the status of the response: 0 while the request is in progress, and permanently if
	// the connection was cut.
	Status int
	// Fault is the kind of the fault that applied, except FaultLatency. Empty means none.
	Fault FaultKind
}

type requestKey struct{ method, path string }

type requestLog struct {
	kept   []*Request
	counts map[requestKey]int
	total  int
}

func (l *requestLog) reset() { *l = requestLog{counts: map[requestKey]int{}} }

// arrive records a request and chooses its faults.
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

// Requests returns the latest requests since the start or the last ResetCounts, oldest first. It
// keeps at least the last 10,000.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, 0, len(s.log.kept))
	for _, e := range s.log.kept {
		out = append(out, *e)
	}
	return out
}

// Count returns how many requests arrived since the start or the last ResetCounts. An empty method
// or pattern means all; the pattern is that of Fault.Path.
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

// ResetCounts removes all requests that arrived so far.
func (s *Server) ResetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.reset()
}
