// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// FaultKind says what goes wrong. "Before" means that nothing has changed, "after" that the change was made but the client
// does not get the answer.
type FaultKind string

// The kinds of faults.
const (
	FaultLatency      FaultKind = "latency"       // the answer takes Fault.Latency longer; may be combined with one other fault
	FaultTooMany      FaultKind = "429"           // 429 before, with Retry-After
	FaultErrorBefore  FaultKind = "500-before"    // 500 before
	FaultErrorAfter   FaultKind = "500-after"     // 500 after
	FaultCutBefore    FaultKind = "cut-before"    // connection cut before
	FaultCutAfter     FaultKind = "cut-after"     // connection cut after
	FaultHalfMade     FaultKind = "half-made"     // POST /domain leaves a domain without root user and answers 500
	FaultBadGateway   FaultKind = "bad-gateway"   // 502 before, with the HTML page of a proxy
	FaultSlowBody     FaultKind = "slow-body"     // after: the headers at once, then one byte of the body every Fault.Latency
	FaultTokenRevoked FaultKind = "token-revoked" // every admin token is a wrong one (403)
	FaultDown         FaultKind = "down"          // connections are closed as soon as they are accepted; takes no method or path

	FaultConnectorRefuse FaultKind = "connector-refuse" // as down, for the connector
	FaultConnectorSilent FaultKind = "connector-silent" // the connector does not answer an identify message
)

var faultKinds = []FaultKind{FaultLatency, FaultTooMany, FaultErrorBefore, FaultErrorAfter, FaultCutBefore, FaultCutAfter,
	FaultHalfMade, FaultBadGateway, FaultSlowBody, FaultTokenRevoked, FaultDown, FaultConnectorRefuse, FaultConnectorSilent,
	FaultTruncate, FaultEndless, FaultOutlast}

// ofRequests says whether a fault meets requests to the API; the others meet connections.
func (k FaultKind) ofRequests() bool {
	return k != FaultDown && k != FaultConnectorRefuse && k != FaultConnectorSilent
}

// Fault is one thing that goes wrong for the requests that it matches.
type Fault struct {
	// ID is set by InjectFault, for RemoveFault.
	ID string
	// Method of the requests, empty for all.
	Method string
	// Path is a pattern for the path: * stands for one segment, ** at the end for all that follow; empty for all paths.
	Path string
	Kind FaultKind
	// Times is for how many requests (of FaultDown and FaultConnectorRefuse: connections, of FaultConnectorSilent:
	// identify messages) it lasts; 0 means until it is removed.
	Times int
	// Latency is the delay of FaultLatency, the time between two bytes of FaultSlowBody (default one second), the
	// time between two parts of FaultEndless, and how long FaultOutlast holds an answer at most (0: no limit).
	Latency time.Duration
	// RetryAfter is what FaultTooMany tells the client, in whole seconds; 0 leaves the header out.
	RetryAfter time.Duration
	// Rows is how many rows of a search FaultTruncate leaves.
	Rows int
	// Total is the total that FaultTruncate shows, default TotalTrue.
	Total ShownTotal
}

type faultList struct {
	list []Fault
	next int
}

// InjectFault makes a fault work from now on and gives its id. The error says which field is wrong.
// When several faults match a request, the first one that is not FaultLatency counts, together with all latencies.
func (s *Server) InjectFault(f Fault) (string, error) {
	f, err := s.injectFault(f)
	return f.ID, err
}

// injectFault is InjectFault and returns the fault with its id and defaults.
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

// RemoveFault ends one fault and says whether there was one with this id (it may have run out).
func (s *Server) RemoveFault(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.faults.list)
	s.faults.list = slices.DeleteFunc(s.faults.list, func(f Fault) bool { return f.ID == id })
	return len(s.faults.list) < n
}

// Faults lists the faults that still work; Times is what is left.
func (s *Server) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults.list)
}

// take uses every fault that matches once: it gives them and drops those that have run out.
func (l *faultList) take(match func(Fault) bool) []Fault {
	var taken, left []Fault
	for _, f := range l.list {
		if !match(f) {
			left = append(left, f)
			continue
		}
		taken = append(taken, f)
		if f.Times != 1 {
			f.Times = max(f.Times-1, 0) // 0 is for ever
			left = append(left, f)
		}
	}
	l.list = left
	return taken
}
