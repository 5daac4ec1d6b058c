// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func sorted(rows map[string]row) []string { return slices.Sorted(maps.Keys(rows)) }

// killed is the panic of a controller that stops between two steps.
type killed struct{}

// controller reconciles the Domain of a world like a caller of Decide.
type controller struct {
	*world
	// kills is the number of steps after which the process stops; negative means never.
	kills int
	// faults enables failures of creates.
	faults bool
}

// reconcile runs until it is done or the process is killed, and returns the last decision.
func (c *controller) reconcile() (d Decision) {
	defer func() {
		if r := recover(); r != nil {
			if _, kill := r.(killed); !kill {
				panic(r)
			}
			c.restart()
		}
		c.short, c.lie, c.dropping, c.cache = false, false, false, nil
	}()
	if c.finished {
		return Decision{Verdict: Act, Action: Done}
	}
	if c.cache == nil {
		d = c.decide(c.observe(false))
	} else {
		d = c.decide(*c.cache)
	}
	if d.Verdict == Act && d.Action == Look {
		c.step()
		d = c.decide(c.observe(true))
		require.NotEqual(c, Look, d.Action)
	}
	if !d.Ledger.Equal(c.ledger) && !c.store(d.Ledger) && d.Verdict == Act {
		return LedgerNotKept(d)
	}
	c.step()
	c.perform(d)
	return d
}

func (c *controller) decide(o Observed) Decision {
	i := input{want: c.want, observed: o, ledger: c.ledger, endpoint: c.endpoint()}
	d := Decide(i.want, i.observed, i.ledger, i.endpoint, c.now)
	requireExplained(c, i, d)
	requireInvariants(c, d.Ledger)
	if d.Writes() {
		require.Equal(c, c.identity, c.takaro().anchor, "a write to another database: %+v", d)
	}
	if r, _ := d.Ledger.Current(c.want.Slot); d.Action == Adopt && r.Origin == Adopted {
		require.True(c, c.want.Adopt)
		c.adopted[d.ID] = true
	}
	return d
}

// step is a point at which the process may be killed.
func (c *controller) step() {
	if c.kills == 0 {
		panic(killed{})
	}
	c.kills--
}

// restart starts another process that becomes the leader.
func (c *controller) restart() {
	c.leaderSince, c.goneSince = c.now, time.Time{}
}

// store writes the ledger and reports whether the API server stored it.
func (c *controller) store(l Ledger) bool {
	c.step()
	if c.dropping {
		return false
	}
	c.ledger = l
	for _, r := range l {
		if r.State == Held {
			c.use(r.ID)
		}
	}
	return true
}

func (c *controller) perform(d Decision) {
	if d.Mark {
		c.refer(d.ID, testRetained)
		c.step()
	}
	if d.Verdict != Act {
		return
	}
	switch d.Action {
	case Create:
		require.True(c, d.Ledger.Keeps(c.want.Slot, c.ledger))
		c.create()
	case Change:
		c.change(d)
	case Delete, Remove:
		c.remove(d)
	case Done, Leave, Disable:
		c.finished = true
	}
}

// change sends the update. A cached list may be older than the last change of a reference, so the
// domain is read again first.
func (c *controller) change(d Decision) {
	if c.cache != nil && c.decide(c.observe(false)).Action != Change {
		return
	}
	r := c.takaro().rows[d.ID]
	require.False(c, r.given || r.foreign && !c.adopted[d.ID], "a foreign domain was changed: %+v", d)
	if c.want.Name != "" {
		c.refer(d.ID, c.want.Name)
	}
}

// create sends the create and stores the response.
func (c *controller) create() {
	outcome := 0
	if c.faults {
		outcome = rapid.IntRange(0, 5).Draw(c.T, "create")
	}
	conflict := c.takaro().taken(testKey)
	switch {
	case outcome == 1: // 403
		c.store(c.ledger.Withdraw(c.want.Slot))
		return
	case outcome == 2: // no effect, no response
		return
	case outcome == 3: // no response, and the effect is delayed
		at := c.now.Add(time.Duration(rapid.IntRange(1, 180).Draw(c.T, "delay")) * time.Second)
		c.late = append(c.late, late{database: c.at, at: at})
		return
	case conflict: // 409
		return
	}
	id := c.insert(c.takaro(), testKey, false)
	if outcome == 4 { // no response
		return
	}
	if outcome == 5 { // the Lease is lost now
		c.former = &former{id: id, ledger: c.ledger, until: c.now.Add(FenceGrace)}
		panic(killed{})
	}
	c.step()
	c.secrets[id] = true
	c.store(c.ledger.Hold(c.want.Slot, id, Created, c.now))
}

// finish is what the former leader still does before it is fenced. Its write of the ledger fails
// if anything was stored since.
func (w *world) finish() {
	if w.former == nil || !w.now.Before(w.former.until) {
		return
	}
	require.False(w, w.removed[w.former.id], "a domain was removed that the former leader is about to record")
	w.secrets[w.former.id] = true
	if w.ledger.Equal(w.former.ledger) {
		w.ledger = w.ledger.Hold(w.want.Slot, w.former.id, Created, w.now)
		w.use(w.former.id)
	}
	w.former = nil
}

// pass advances the clock; creates in progress take effect.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	var left []late
	for _, l := range w.late {
		switch {
		case l.at.After(w.now):
			left = append(left, l)
		case !w.databases[l.database].taken(testKey):
			w.insert(w.databases[l.database], testKey, false)
		}
	}
	w.late = left
}
