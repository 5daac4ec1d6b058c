// SPDX-License-Identifier: Apache-2.0

// Package servertime is the time of the API server, for decisions that are final, such as that an Approval expired. The clock of
// one machine may be set wrong, or jump: what ends then never comes back. So the time is the Date of the API server's answers,
// continued by the monotonic clock of this process, and it counts only while the clock of this machine agrees with it and
// neither jumped lately.
package servertime

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// tolerance is how far two clocks may be apart, and how far one may move against the monotonic clock.
	tolerance = time.Minute
	// settle is how long nothing ends after a jump: time to correct a clock that was set wrong.
	settle = 10 * time.Minute
)

// Clock follows the time of an API server. It is safe for concurrent use.
type Clock struct {
	// group is the suffix of the API groups whose answers count. Others may come from servers on other machines.
	group string
	// wall is the clock of this machine, elapsed the monotonic time of this process.
	wall    func() time.Time
	elapsed func() time.Duration

	mu sync.Mutex
	// known is false before the first answer.
	known bool
	// date is the time of the API server at the monotonic time at.
	date time.Time
	at   time.Duration
	// offset is how far the wall clock was ahead of the monotonic clock at the last look.
	offset time.Duration
	// jumped is the monotonic time until which nothing ends.
	jumped time.Duration
}

// New returns a Clock that follows the answers to requests for API groups with a suffix, such as roadstead.dev.
func New(group string) *Clock {
	start := time.Now()
	return newClock(group, time.Now, func() time.Duration { return time.Since(start) })
}

func newClock(group string, wall func() time.Time, elapsed func() time.Duration) *Clock {
	return &Clock{group: group, wall: wall, elapsed: elapsed}
}

// Now returns the time of the API server, and whether a final decision may rest on it. Before the first answer it returns the
// time of this machine, on which none may.
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

// observe records the Date of an answer that was just received.
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

// watchWall notes a jump of the wall clock. Slow corrections, as time servers make them, are none.
func (c *Clock) watchWall(wall time.Time, elapsed time.Duration) {
	now := offset(wall, elapsed)
	if (now - c.offset).Abs() > tolerance {
		c.jumped = elapsed + settle
	}
	c.offset = now
}

// offset is how far the wall clock is ahead of the monotonic clock. Only differences of it have a meaning.
func offset(wall time.Time, elapsed time.Duration) time.Duration {
	return time.Duration(wall.UnixMilli())*time.Millisecond - elapsed
}

// Wrap returns a transport that records the Date of answers to requests for the groups. It is for rest.Config.Wrap.
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
		return response, err // another server may have answered in its place
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		r.clock.observe(date)
	}
	return response, nil
}

// follows reports whether a path is one of the groups: /apis/<group>/….
func (c *Clock) follows(path string) bool {
	_, after, found := strings.Cut(path, "/apis/")
	group, _, _ := strings.Cut(after, "/")
	return found && (group == c.group || strings.HasSuffix(group, "."+c.group))
}
