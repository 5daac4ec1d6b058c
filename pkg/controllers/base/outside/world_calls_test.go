// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// own returns the object with the id and checks that it may be written: the stored ledger, or an
// intent, shows that this API object owns it.
func (w *world) own(call, id string) *thing {
	each, exists := w.things[id]
	if !exists {
		return nil
	}
	held := false
	for _, record := range w.stored.Records {
		held = held || record.ID == id
		require.False(w, each.foreign && record.ID == id && record.Origin == ownership.Created, "a foreign object was recorded as created")
	}
	record, _ := ownership.Ledger(w.stored.Records).Current(testSlot)
	intended := record.State == ownership.Intended && each.Reference == testKey
	require.True(w, held || intended, "%s of an object that is not recorded: %s", call, id)
	require.False(w, each.foreign && !held, "%s of a foreign object: %s", call, id)
	return each
}

// write carries out a request that changes the object with the id.
func (w *world) write(call, id string, apply func(*thing)) error {
	fate := w.call(call)
	if fate == unsent || fate == refused {
		return errLost
	}
	if each := w.own(call, id); each != nil {
		apply(each)
	}
	if fate != done {
		return errLost
	}
	w.step()
	return nil
}

func (w *world) change(_ context.Context, id string) error {
	return w.write("change", id, func(each *thing) { each.changed = true })
}

func (w *world) mark(_ context.Context, id string) error {
	return w.write("mark", id, func(each *thing) { each.Reference, each.marked = testRetained, true })
}

func (w *world) disable(_ context.Context, id string) error {
	return w.write("disable", id, func(each *thing) { each.disabled = true })
}

func (w *world) delete(_ context.Context, id string) error {
	return w.write("delete", id, func(each *thing) {
		mayDelete := w.object.Want.Delete && w.object.Want.Policy != ownership.PolicyDisable
		require.True(w, mayDelete || !each.changed, "an object that was in use is deleted: %s", id)
		require.False(w, w.object.Want.Delete && w.object.Want.Policy == ownership.PolicyRetain)
		delete(w.things, id)
		if w.object.Want.Delete {
			w.late = nil // a later create overtook this one; takaro-sweep finds its object
		}
	})
}

// reconcile is one run of the controller: Ensure or Dispose, and the status write that follows.
func (w *world) reconcile() (id string, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, kill := r.(killed); !kill {
				panic(r)
			}
			w.kills, w.goneSince, err = -1, time.Time{}, errLost
			w.object.Endpoint.LeaderSince = w.now
		}
	}()
	w.calls, w.draft = nil, w.stored.DeepCopy()
	if w.object.Want.Delete {
		w.left, err = Dispose(context.Background(), w.object)
		w.ended = err == nil
	} else {
		id, err = Ensure(context.Background(), w.object)
	}
	if !w.ended && !errors.Is(err, errConflict) && !ownership.Ledger(w.draft.Records).Equal(w.stored.Records) {
		if storeErr := w.store(context.Background()); err == nil {
			err = storeErr
		}
	}
	return id, err
}

// pass advances the clock. Creates in flight take effect.
func (w *world) pass(d time.Duration) {
	w.now = w.now.Add(d)
	var left []time.Time
	for _, at := range w.late {
		switch {
		case at.After(w.now):
			left = append(left, at)
		case !w.taken(testKey):
			w.add(testKey, false)
		}
	}
	w.late = left
}

// settle reconciles without faults, for longer than any delay, and returns the last error.
func (w *world) settle() (err error) {
	w.kills, w.fate = -1, func(string) effect { return done }
	for range 45 {
		w.pass(time.Minute)
		if _, err = w.reconcile(); w.ended {
			return err
		}
	}
	return err
}
