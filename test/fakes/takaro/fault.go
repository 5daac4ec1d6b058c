// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// FaultKind is a kind of failure. "Before" means that nothing has changed. "After" means that the
// change was applied but the client does not receive the response.
type FaultKind string

// The kinds of faults.
const (
	FaultLatency      FaultKind = "latency"       // the response takes Fault.Latency longer; may be combined with one other fault
	FaultTooMany      FaultKind = "429"           // 429 before, with Retry-After
	FaultErrorBefore  FaultKind = "500-before"    // 500 before
	FaultErrorAfter   FaultKind = "500-after"     // 500 after
	FaultCutBefore    FaultKind = "cut-before"    // connection cut before
	FaultCutAfter     FaultKind = "cut-after"     // connection cut after
	FaultHalfMade     FaultKind = "half-made"     // POST /domain leaves a domain without root user and answers 500
	FaultBadGateway   FaultKind = "bad-gateway"   // 502 before, with the HTML page of a proxy
	FaultSlowBody     FaultKind = "slow-body"     // after: the headers immediately, then one byte of the body every Fault.Latency
	FaultTokenRevoked FaultKind = "token-revoked" // every admin token is invalid (403)
	FaultDown         FaultKind = "down"          // connections are closed as soon as they are accepted; takes no method or path

	FaultConnectorRefuse FaultKind = "connector-refuse" // as down, for the connector
	FaultConnectorSilent FaultKind = "connector-silent" // the connector does not answer an identify message
)

var faultKinds = []FaultKind{FaultLatency, FaultTooMany, FaultErrorBefore, FaultErrorAfter, FaultCutBefore, FaultCutAfter,
	FaultHalfMade, FaultBadGateway, FaultSlowBody, FaultTokenRevoked, FaultDown, FaultConnectorRefuse, FaultConnectorSilent,
	FaultTruncate, FaultEndless, FaultOutlast}

// ofRequests reports whether a fault applies to requests to the API. All others apply to
// connections.
func (k FaultKind) ofRequests() bool {
	return k != FaultDown && k != FaultConnectorRefuse && k != FaultConnectorSilent
}

// Fault is one failure of the requests that it matches.
type Fault struct {
	// ID is set by InjectFault, for RemoveFault.
	ID string
	// Method is the method of the requests. Empty matches all.
	Method string
	// Path is a pattern for the path: * matches one segment, ** at the end matches all that follow.
	// Empty matches all paths.
	Path string
	Kind FaultKind
	// Times is the number of requests for which the fault lasts (connections for FaultDown and
	// FaultConnectorRefuse, identify messages for FaultConnectorSilent). 0 means until it is
	// removed.
	Times int
	// Latency is the delay of FaultLatency, the time between two bytes of FaultSlowBody (default
	// one second), the time between two parts of FaultEndless, and the maximum time for which
	// FaultOutlast holds a response (0: no limit).
	Latency time.Duration
	// RetryAfter is the value of the header of FaultTooMany, in whole seconds. 0 omits the header.
	RetryAfter time.Duration
	// Rows is the number of rows of a search that FaultTruncate keeps.
	Rows int
	// Total selects the total that FaultTruncate shows. Defaults to TotalTrue.
	Total ShownTotal
}

type faultList struct {
	list []Fault
	next int
}

// InjectFault activates a fault and returns its id. The error names the invalid field. If several
// faults match a request, all latencies apply, and the first fault of another kind.
func (s *Server) InjectFault(f Fault) (string, error) {
	f, err := s.injectFault(f)
	return f.ID, err
}

// injectFault is InjectFault but returns the fault with its id and defaults.
func (s *Server) injectFault(f Fault) (Fault, error) {
	if !slices.Contains(faultKinds, f.Kind) {
		return Fault{}, fmt.Errorf("fault kind %q is unknown: use one of %v", f.Kind, faultKinds)
	}
	if !f.Kind.ofRequests() && (f.Method != "" || f.Path != "") {
		return Fault{}, fmt.Errorf("fault kind %s takes no method and no path: it acts on connections, before any request", f.Kind)
	}
	if f.Times < 0 || f.Latency < 0 || f.RetryAfter < 0 {
		return Fault{}, errors.New("times, latency and retryAfter of a fault cannot be negative")
	}
	if err := f.checkTruncation(); err != nil {
		return Fault{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.next++
	f.ID = strconv.Itoa(s.faults.next)
	s.faults.list = append(s.faults.list, f)
	return f, nil
}

// ClearFaults ends all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.list = nil
}

// RemoveFault ends one fault and reports whether it existed. A fault may have run out.
func (s *Server) RemoveFault(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.faults.list)
	s.faults.list = slices.DeleteFunc(s.faults.list, func(f Fault) bool { return f.ID == id })
	return len(s.faults.list) < n
}

// Faults returns the active faults. Times is the number of uses that are left.
func (s *Server) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults.list)
}

// take uses every matching fault once. It returns them and removes those that have run out.
func (l *faultList) take(match func(Fault) bool) []Fault {
	var taken, left []Fault
	for _, f := range l.list {
		if !match(f) {
			left = append(left, f)
			continue
		}
		taken = append(taken, f)
		if f.Times != 1 {
			f.Times = max(f.Times-1, 0) // 0 means unlimited
			left = append(left, f)
		}
	}
	l.list = left
	return taken
}
