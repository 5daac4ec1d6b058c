// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"net/http"
	"time"
)

// CreateTime is how long POST /domain takes between the insert of the row and that of its root
// user, in addition to Options.CreateLatency. Concurrent creates slow each other down: while n of
// them run, each advances as if it took Base + (n-1) × PerParallel. The zero value takes no time.
type CreateTime struct {
	Base        time.Duration // of a create that runs alone
	PerParallel time.Duration // for each other create that runs
}

// RealCreateTime follows measurements: the single process of the real API takes 1.7 to 3.9 s for
// one create, 14 to 18 s for each of ten concurrent ones, and 88 s for 60 of them.
var RealCreateTime = CreateTime{Base: 1700 * time.Millisecond, PerParallel: 1500 * time.Millisecond}

// createLoad shares the capacity of the API among the creates that run. Server.mu guards it.
type createLoad struct {
	CreateTime
	done    time.Duration // the progress of a create that has run since the beginning
	since   time.Time     // when done was computed
	running int
	changed chan struct{} // closed and replaced when the speed changes
}

// SetCreateTime sets how long creates take from now on, including those that run.
func (s *Server) SetCreateTime(t CreateTime) error {
	if t.Base < 0 || t.PerParallel < 0 || t.Base == 0 && t.PerParallel > 0 {
		return errors.New("base and perParallel of a create cannot be negative, and perParallel needs a base")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.creates.change(time.Now(), func(l *createLoad) { l.CreateTime = t })
	return nil
}

// change advances all creates at the former speed, changes what the speed depends on, and wakes the
// creates.
func (l *createLoad) change(now time.Time, f func(*createLoad)) {
	l.advance(now)
	f(l)
	if l.changed != nil {
		close(l.changed)
	}
	l.changed = make(chan struct{})
}

func (l *createLoad) advance(now time.Time) {
	if l.running > 0 {
		l.done += time.Duration(float64(now.Sub(l.since)) * l.speed())
	}
	l.since = now
}

// speed returns how much a create advances per unit of time: 1 if it runs alone.
func (l *createLoad) speed() float64 {
	if l.Base == 0 {
		return 1
	}
	return float64(l.Base) / float64(l.Base+time.Duration(max(l.running-1, 0))*l.PerParallel)
}

// workOnCreate waits until a create has advanced by its base time, and reports false if the server
// was closed. The caller holds the lock, which is released while the create waits.
func (s *Server) workOnCreate() bool {
	l := &s.creates
	l.change(time.Now(), func(l *createLoad) { l.running++ })
	defer func() { l.change(time.Now(), func(l *createLoad) { l.running-- }) }()
	for target := l.done + l.Base; ; l.advance(time.Now()) {
		left := target - l.done
		if l.Base == 0 || left <= 0 {
			return true
		}
		if !s.pause(time.Duration(float64(left)/l.speed())+1, l.changed) {
			return false
		}
	}
}

// pause releases the lock until d has passed or wake is closed, and reports false if the server was
// closed.
func (s *Server) pause(d time.Duration, wake <-chan struct{}) bool {
	s.mu.Unlock()
	defer s.mu.Lock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-wake:
	case <-s.stopped.Done():
	}
	return s.stopped.Err() == nil
}

// createTimeJSON is the wire format of a CreateTime. Durations are strings such as 1700ms or 2s.
type createTimeJSON struct {
	Base        string `json:"base,omitempty"`
	PerParallel string `json:"perParallel,omitempty"`
}

func (s *Server) controlCreateTime(w http.ResponseWriter, r *http.Request) {
	var in createTimeJSON
	if !controlRead(w, r, &in) {
		return
	}
	base, err := controlDuration(in.Base, "base")
	perParallel, err2 := controlDuration(in.PerParallel, "perParallel")
	if err = errors.Join(err, err2); err == nil {
		err = s.SetCreateTime(CreateTime{Base: base, PerParallel: perParallel})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
