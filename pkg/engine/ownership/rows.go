// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// rowOwned is the row of an object that Roadstead owns by a recorded ID.
const rowOwned = 6

// owned is rows 6 and 8: Roadstead owns the object by a recorded ID. action is the action that ensures it.
func (c choice) owned(row int, origin Origin, action Action) Decision {
	if !c.want.Delete {
		return c.act(row, action)
	}
	if origin != Created && origin != Adopted {
		return c.leave(row, c.notProved())
	}
	if c.endpoint.DeletionHold != "" {
		return c.deletionHeld(row)
	}
	d := c.act(row, Delete)
	if c.want.Policy == PolicyDisable {
		d.Action = Disable
		d.Mark = c.want.Retained != "" && c.object.Reference == c.want.Key
	}
	return c.live(d)
}

// gone is row 7: the held object no longer exists.
func (c choice) gone() Decision {
	if c.want.Delete {
		d := c.act(7, Done)
		d.Ledger = c.ledger.Lose(c.want.Slot, c.now)
		return c.live(d)
	}
	since := c.observed.GoneSince
	if since.IsZero() || since.After(c.now) {
		since = c.now
	}
	left := VanishedWindow - c.now.Sub(since)
	if c.endpoint.VanishedHold != "" || left > 0 {
		return c.wait(7, ReasonVanished, c.vanished(), max(left, 10*time.Second))
	}
	d := c.act(7, Lose)
	d.Ledger = c.ledger.Lose(c.want.Slot, c.now)
	return d
}

// former is row 8: an object whose record is Lost exists again. A create in progress must have
// ended first, because its object would otherwise have no record.
func (c choice) former(intended bool) Decision {
	if intended {
		if left := c.windowLeft(); left > 0 {
			return c.wait(8, ReasonCreateUnclear, c.createUnclear(), left)
		}
	}
	regained := c.ledger.Hold(c.want.Slot, c.object.ID, "", c.now)
	record, _ := regained.Current(c.want.Slot)
	d := c.owned(8, record.Origin, Regain)
	if d.Verdict == Act && d.Action != Look {
		d.Ledger = regained
	}
	return d
}

// interrupted is row 9: the object was created for the stored intent, and its ID was not recorded.
func (c choice) interrupted() Decision {
	held := c.ledger.Hold(c.want.Slot, c.object.ID, Created, c.now)
	if c.want.Delete {
		if c.endpoint.DeletionHold != "" {
			return c.deletionHeld(9)
		}
		d := c.act(9, Delete)
		d.Ledger = held
		return c.live(d)
	}
	if !c.observed.Incomplete || c.object.Used {
		d := c.act(9, Adopt)
		d.Ledger = held
		return d
	}
	if left := c.untilRemoval(); left > 0 {
		return c.wait(9, ReasonInterruptedCreate, c.interruptedCreate(), left)
	}
	d := c.act(9, Remove)
	d.Ledger = c.ledger.attempted(c.want.Slot)
	return c.live(d)
}

// untilRemoval returns how long the result of an interrupted create must not be removed: a retry of
// the create may be in progress, and a former leader may still store its result.
func (c choice) untilRemoval() time.Duration {
	age, limit := c.now.Sub(c.record.Since.Time), removalAge(c.record.Tries)
	fence := FenceGrace
	if !c.endpoint.LeaderSince.IsZero() {
		fence -= c.now.Sub(c.endpoint.LeaderSince)
	}
	return max(min(limit-age, limit), min(fence, FenceGrace))
}

// keyed is row 10: the object has the create key, and no intent is stored. The ledger was lost or
// restored, and the object may have been in use for a long time.
func (c choice) keyed() Decision {
	if c.want.Delete {
		return c.leave(10, c.notRecorded())
	}
	d := c.act(10, Adopt)
	d.Ledger = c.ledger.Hold(c.want.Slot, c.object.ID, Created, c.now)
	return d
}

// named is row 11: an object that Roadstead did not create has the name in the spec. As in row 8,
// a create in progress must have ended first.
func (c choice) named(intended bool) Decision {
	if !c.want.Adopt {
		return c.refuse(11, ReasonTaken, c.taken())
	}
	if left := c.windowLeft(); intended && left > 0 {
		return c.wait(11, ReasonCreateUnclear, c.createUnclear(), left)
	}
	d := c.act(11, Adopt)
	d.Ledger = c.ledger.Hold(c.want.Slot, c.object.ID, Adopted, c.now)
	return d
}

// unsettled is row 12: a create was or may have been sent, and there is no object.
func (c choice) unsettled() Decision {
	c.object = Object{}
	if !c.want.Delete {
		return c.create(12)
	}
	if left := c.windowLeft(); left > 0 {
		return c.wait(12, ReasonCreateUnclear, c.createUnclear(), left)
	}
	d := c.act(12, Done)
	d.Ledger = c.ledger.Withdraw(c.want.Slot)
	return c.live(d)
}

// absent is row 13: there is no object, and no create is in progress.
func (c choice) absent() Decision {
	c.object = Object{}
	if c.want.Delete {
		return c.live(c.act(13, Done))
	}
	if c.want.Adopt {
		return c.wait(13, ReasonNothingToAdopt, c.nothingToAdopt(), pause)
	}
	return c.create(13)
}

func (c choice) create(row int) Decision {
	d := c.act(row, Create)
	d.ID, d.Ledger = "", c.ledger.Intend(c.want.Slot, c.now)
	return d
}

func (c choice) leave(row int, message string) Decision {
	d := c.act(row, Leave)
	d.Message = message
	return d
}

func (c choice) deletionHeld(row int) Decision {
	return c.wait(row, ReasonDeletionHeld, c.heldDeletion(), pause)
}

// windowLeft returns how long the create of the intent may still take effect. It is never longer
// than the window, even if the clock was set back.
func (c choice) windowLeft() time.Duration {
	return min(CreateWindow-c.now.Sub(c.record.Since.Time), CreateWindow)
}
