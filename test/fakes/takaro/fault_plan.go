// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// plan chooses the faults of one request.
func (l *faultList) plan(method, path string) plan {
	p := plan{}
	chosen := false
	for _, f := range l.take(func(f Fault) bool {
		if !f.Kind.ofRequests() || f.Method != "" && f.Method != method || !matchPath(f.Path, path) {
			return false
		}
		if f.Kind == FaultLatency {
			return true
		}
		first := !chosen
		chosen = true
		return first
	}) {
		if f.Kind == FaultLatency {
			p.latency += f.Latency
			continue
		}
		p.fault = f
	}
	p.halfMade, p.revoked = p.fault.Kind == FaultHalfMade, p.fault.Kind == FaultTokenRevoked
	return p
}

// plan is the set of faults of one request.
type plan struct {
	latency           time.Duration
	fault             Fault
	halfMade, revoked bool
}

// before returns the response of a fault that keeps the request from the API, or nil if the API
// runs.
func (p plan) before() *reply {
	switch p.fault.Kind {
	case FaultTooMany:
		r := fail(&apiError{status: http.StatusTooManyRequests, Code: codeTooMany, Message: "Too many requests"})
		if p.fault.RetryAfter > 0 {
			r.header = http.Header{"Retry-After": {strconv.Itoa(int(p.fault.RetryAfter.Round(time.Second) / time.Second))}}
		}
		return &r
	case FaultErrorBefore:
		r := fail(internal())
		return &r
	case FaultBadGateway:
		r := text(http.StatusBadGateway, "text/html", "<html>\r\n<head><title>502 Bad "+
			"Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n")
		return &r
	case FaultCutBefore:
		return &reply{}
	}
	return nil
}

// after returns the response that the client receives instead of that of the API.
func (p plan) after(answer reply) *reply {
	switch p.fault.Kind {
	case FaultErrorAfter:
		answer = fail(internal())
	case FaultCutAfter:
		answer = reply{}
	case FaultTruncate:
		answer = p.fault.truncate(answer)
	}
	return &answer
}

// matchPath compares a path with a pattern of segments, see Fault.Path.
func matchPath(pattern, path string) bool {
	if pattern == "" {
		return true
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		switch {
		case w == "**" && i == len(want)-1:
			return true
		case i >= len(have), w != "*" && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}
