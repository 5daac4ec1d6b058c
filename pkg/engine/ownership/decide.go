// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"cmp"
	"fmt"
	"time"
)

// Decide returns what to do about one outside object. Every write results from it. The first
// matching row of the table decides:
//
//	row  found                record      ensure                    delete
//	1    any                  any         below                     Retain: Done
//	2    any                  none        below                     Done
//	3    endpoint unverified  any         Wait(its reason)          the same
//	4    Unclear              any         Wait(SearchIncomplete)    the same
//	5    Moved                Held        Refuse(ReferenceChanged)  the same
//	6    ID                   Held        Change                    by policy; Found: Leave
//	7    Gone                 Held        Wait(Vanished), Lose      Done
//	8    Former               Lost        Regain                    as row 6
//	9    Key                  Intended    Adopt or Remove           record the id, Delete
//	10   Key                  none, Lost  Adopt                     Leave
//	11   Name                 any         Adopt or Refuse(Taken)    as Absent
//	12   Absent               Intended    Create with the same key  Wait(CreateUnclear), Done
//	13   Absent               none, Lost  Create                    Done
func Decide(want Want, observed Observed, ledger Ledger, endpoint Endpoint, now time.Time) Decision {
	ledger = ledger.Reparent(want.Slot, now)
	c := choice{want: want, observed: observed, ledger: ledger, endpoint: endpoint, now: now}
	c.record, c.current = ledger.Current(want.Slot)
	recorded := c.current || len(ledger.Lost(want.Slot)) > 0
	switch {
	case want.Delete && want.Policy == PolicyRetain:
		return c.retain()
	case want.Delete && !recorded:
		return c.act(2, Done)
	case !endpoint.Verified:
		return c.unverified()
	}
	var why unclear
	c.found, c.object, why = classify(want, observed, ledger)
	intended := c.current && c.record.State == Intended
	switch {
	case c.found == FoundUnclear:
		return c.wait(4, ReasonSearchIncomplete, why.message(c), pause)
	case c.found == FoundMoved:
		return c.refuse(5, ReasonReferenceChanged, c.referenceChanged())
	case c.found == FoundID:
		return c.owned(rowOwned, c.record.Origin, Change)
	case c.found == FoundGone:
		return c.gone()
	case c.found == FoundFormer:
		return c.former(intended)
	case c.found == FoundKey && intended:
		return c.interrupted()
	case c.found == FoundKey:
		return c.keyed()
	case c.found == FoundName && !want.Delete:
		return c.named(intended)
	case intended:
		return c.unsettled()
	default:
		return c.absent()
	}
}

// choice is the input of Decide together with what follows from it.
type choice struct {
	want     Want
	observed Observed
	ledger   Ledger
	endpoint Endpoint
	now      time.Time

	// record is the Held or Intended record; current reports whether there is one.
	record  Record
	current bool
	found   Finding
	object  Object
}

func (c choice) decision(row int, verdict Verdict) Decision {
	id := c.object.ID
	if id == "" && c.current {
		id = c.record.ID
	}
	return Decision{Row: row, Found: c.found, Verdict: verdict, ID: id, Key: c.want.Key, Ledger: c.ledger}
}

func (c choice) act(row int, action Action) Decision {
	d := c.decision(row, Act)
	d.Action = action
	return d
}

func (c choice) wait(row int, reason, message string, after time.Duration) Decision {
	d := c.refuse(row, reason, message)
	d.Verdict, d.After = Wait, max(after, time.Second)
	return d
}

func (c choice) refuse(row int, reason, message string) Decision {
	d := c.decision(row, Refuse)
	d.Reason, d.Message = reason, c.letGo(message)
	return d
}

// live returns d if everything was read for this decision, and otherwise the decision to read it.
func (c choice) live(d Decision) Decision {
	if c.observed.Live {
		return d
	}
	look := c.act(d.Row, Look)
	look.ID, look.Message = d.ID, fmt.Sprintf("Before %s, everything is read again.", d.Action)
	return look
}

// retain is row 1. It requires no response of the outside system; an available one is used to mark
// the object as retained. An object that is Lost may reappear under the create key, and is
// reported in Left as well.
func (c choice) retain() Decision {
	d := c.act(1, Done)
	if c.want.Retained == "" {
		return d
	}
	if c.current {
		object, answers, _ := c.observed.byID(c.record.ID)
		if c.record.State == Intended {
			object, answers = c.observed.List.byKey(c.want.Key)
			answers = answers && !c.ledger.knows(c.want.Slot, object.ID)
		}
		switch {
		case answers && object.Reference == c.want.Key && c.endpoint.Verified:
			d.ID, d.Mark = object.ID, true
		case !answers || object.Reference == c.want.Key:
			d.Left = append(d.Left, cmp.Or(object.ID, c.record.ID, c.want.Key))
		}
	}
	for _, r := range c.ledger.Lost(c.want.Slot) {
		d.Left = append(d.Left, r.ID)
	}
	return d
}

// unverified is row 3.
func (c choice) unverified() Decision {
	d := Unverified(c.endpoint)
	return c.wait(d.Row, d.Reason, d.Message, d.After)
}

// Unverified returns the decision about all objects of an endpoint that is not verified, also for
// requests that were already decided.
func Unverified(endpoint Endpoint) Decision {
	message := endpoint.Message
	if message == "" {
		message = fmt.Sprintf("The identity of %s is being verified. Nothing is changed there until that succeeds.", endpoint.system())
	}
	return Decision{
		Row: 3, Verdict: Wait, Reason: cmp.Or(endpoint.Reason, ReasonEndpointVerifying), Message: message, After: 10 * time.Second,
	}
}
