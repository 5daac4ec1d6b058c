// SPDX-License-Identifier: Apache-2.0

package anchor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// site is one installation: its stored state, and its two processes, one of which leads.
type site struct {
	stored    Stored
	processes [2]member
	leads     int
	// fencedUntil is the time before which no process leads: a former leader's Lease must expire first.
	fencedUntil time.Time
}

type member struct {
	Process
	memory Memory
	next   time.Time
	paused time.Time
}

// world is one outside system that is shared by an installation and a copy of its cluster.
type world struct {
	now    time.Time
	anchor *Anchor
	made   int
	sites  []*site
	// waiting is set if a site wrote that waits for a user.
	waiting bool
}

// step lets a process look, if it is due, and act.
func (w *world) step(s *site, i int, known Known) {
	p := &s.processes[i]
	if w.now.Before(p.next) || w.now.Before(p.paused) {
		return
	}
	p.Leads = s.leads == i && !w.now.Before(s.fencedUntil)
	seen := Look{Known: known}
	if w.anchor != nil {
		copied := *w.anchor
		seen.Anchor = &copied
	}
	d, memory := Decide(s.stored, seen, p.Process, p.memory, w.now)
	p.memory, p.next = memory, w.now.Add(d.Next)
	if d.State == HeldByOther {
		s.stored.HeldByOther = true
	}
	switch d.Action {
	case Make:
		if w.anchor == nil { // the reference is unique
			w.made++
			w.anchor = &Anchor{Identity: Identity{ID: "anchor", Created: w.now}, Holder: p.Holder, Changed: w.now}
			s.stored.Identity = &w.anchor.Identity
		}
	case Record:
		s.stored.Identity = &d.Identity
	case Take:
		w.anchor.Holder, w.anchor.Changed = p.Holder, w.now
	case Renew:
		w.anchor.Changed = w.now
	}
}

// writers returns the sites with a process that would write now.
func (w *world) writers() (sites int) {
	for _, s := range w.sites {
		for i := range s.processes {
			p := &s.processes[i]
			leads := s.leads == i && !w.now.Before(s.fencedUntil)
			if leads && p.memory.Verified(w.now) {
				sites++
				w.waiting = w.waiting || s.stored.HeldByOther
				break
			}
		}
	}
	return sites
}

// TestModel_OneInstallationWrites runs an installation and a copy of its cluster against one outside
// system, with processes that die, pause and change leaders. They never both write, and one that runs
// alone is verified again.
func TestModel_OneInstallationWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{now: start}
		original := &site{}
		w.sites = []*site{original}
		for i := range original.processes {
			original.processes[i].Holder = NewHolder()
		}
		run := func(seconds int) {
			for range seconds {
				w.now = w.now.Add(time.Second)
				for _, s := range w.sites {
					for i := range s.processes {
						w.step(s, i, OneAnswers)
						require.LessOrEqual(t, w.writers(), 1)
					}
				}
			}
		}
		run(rapid.IntRange(20, 40).Draw(t, "before the copy"))
		require.Equal(t, 1, w.writers(), "the first one is verified")
		fork := &site{stored: original.stored}
		for i := range fork.processes {
			fork.processes[i].Holder = NewHolder()
		}
		w.sites = append(w.sites, fork)
		for range rapid.IntRange(1, 25).Draw(t, "events") {
			s := rapid.SampledFrom(w.sites).Draw(t, "site")
			i := rapid.IntRange(0, 1).Draw(t, "process")
			switch rapid.SampledFrom([]string{"kill", "pause", "lead", "wait"}).Draw(t, "event") {
			case "kill":
				s.processes[i] = member{Process: Process{Holder: NewHolder()}}
			case "pause":
				s.processes[i].paused = w.now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second)
			case "lead":
				s.leads, s.fencedUntil = i, w.now.Add(15*time.Second)
			}
			run(rapid.IntRange(1, 45).Draw(t, "seconds"))
		}
		require.Equal(t, 1, w.made, "one anchor")
		require.False(t, w.waiting, "a site that is held by another one waits for a person")
		for _, s := range w.sites {
			for i := range s.processes {
				s.processes[i].paused = time.Time{}
			}
		}
		if !original.stored.HeldByOther || !fork.stored.HeldByOther {
			run(90)
			require.Equal(t, 1, w.writers(), "somebody is verified in the end")
		}
	})
}
