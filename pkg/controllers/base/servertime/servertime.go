// SPDX-License-Identifier: Apache-2.0

// Package servertime provides the time of the API server, for decisions that are final, for example
// that an Approval expired. The clock of one machine may be wrong or may jump, and an expired
// object cannot be restored. Therefore the time is the Date header of the API server's responses,
// advanced by the monotonic clock of this process. It is trusted only while the clock of this
// machine agrees with it and neither clock has jumped recently.
package servertime

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// tolerance is the maximum difference between the two clocks, and the maximum shift of either
	// against the monotonic clock.
	tolerance = time.Minute
	// settle is the time after a jump during which final decisions are not allowed, so that an
	// administrator can correct a clock that was set wrong.
	settle = 10 * time.Minute
)

// Clock follows the time of an API server. It is safe for concurrent use.
type Clock struct {
	// group is the suffix of the API groups whose responses are used. The responses of other groups
	// may come from servers on other machines.
	group string
	// wall is the clock of this machine. elapsed is the monotonic time of this process.
	wall    func() time.Time
	elapsed func() time.Duration

	mu sync.Mutex
	// known is false before the first response.
	known bool
	// date is the time of the API server at the monotonic time at.
	date time.Time
	at   time.Duration
	// offset is the difference between the wall clock and the monotonic clock at the last
	// observation.
	offset time.Duration
	// jumped is the monotonic time until which final decisions are not allowed.
	jumped time.Duration
}

// New returns a Clock that follows the responses to requests for API groups with the suffix, for
// example roadstead.dev.
func New(group string) *Clock {
	start := time.Now()
	return newClock(group, time.Now, func() time.Duration { return time.Since(start) })
}

func newClock(group string, wall func() time.Time, elapsed func() time.Duration) *Clock {
	return &Clock{group: group, wall: wall, elapsed: elapsed}
}

// Now returns the time of the API server, and whether it may be used for a final decision. Before
// the first response it returns the time of this machine and false.
func (c *Clock) Now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return c.wall(), false
	}
	elapsed := c.elapsed()
	now, wall := c.date.Add(elapsed-c.at), c.wall().Round(0)
	c.watchWall(wall, elapsed)
	return now, elapsed >= c.jumped && wall.Sub(now).Abs() <= tolerance
}

// observe records the Date of a response that was just received.
func (c *Clock) observe(date time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	elapsed, wall := c.elapsed(), c.wall().Round(0)
	if c.known {
		if date.Sub(c.date.Add(elapsed-c.at)).Abs() > tolerance {
			c.jumped = elapsed + settle
		}
		c.watchWall(wall, elapsed)
	} else {
		c.offset = offset(wall, elapsed)
	}
	c.known, c.date, c.at = true, date, elapsed
}

// watchWall records a jump of the wall clock. Gradual corrections by a time server are not jumps.
func (c *Clock) watchWall(wall time.Time, elapsed time.Duration) {
	now := offset(wall, elapsed)
	if (now - c.offset).Abs() > tolerance {
		c.jumped = elapsed + settle
	}
	c.offset = now
}

// offset returns the difference between the wall clock and the monotonic clock. Only changes of the
// result are meaningful.
func offset(wall time.Time, elapsed time.Duration) time.Duration {
	return time.Duration(wall.UnixMilli())*time.Millisecond - elapsed
}

// Wrap returns a transport that records the Date of responses to requests for the groups. It is for
// use with rest.Config.Wrap.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper{clock: c, next: next}
}

type roundTripper struct {
	clock *Clock
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil || !r.clock.follows(request.URL.Path) || response.StatusCode >= http.StatusInternalServerError {
		return response, err // another server may have answered this request
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.clock.observe(date)
	}
	return response, nil
}

// follows reports whether a path belongs to one of the groups: /apis/<group>/….
func (c *Clock) follows(path string) bool {
	_, after, found := strings.Cut(path, "/apis/")
	group, _, _ := strings.Cut(after, "/")
	return found && (group == c.group || strings.HasSuffix(group, "."+c.group))
}
