// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	testKey      = "roadstead:test:uid"
	testName     = "typed"
	testRetained = "retained:test:uid"
)

var (
	testNow  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	testSlot = ownership.Slot{Kind: "Domain", Key: testKey}

	errConflict = errors.New("the object has been modified")
	errLost     = errors.New("no answer")
)

// killed is the panic of a process that stops between two steps.
type killed struct{}

// effect is the outcome of a call.
type effect string

const (
	done     effect = ""         // the call succeeds
	refused  effect = "refused"  // the call certainly has no effect, and the response says so
	unsent   effect = "unsent"   // the call has no effect, and there is no response
	answered effect = "answered" // the call has its effect, and there is no response
	late     effect = "late"     // the call has its effect later, and there is no response
	dropped  effect = "dropped"  // Store only: the API server drops the ledger
)

// thing is an outside object.
type thing struct {
	ownership.Object
	foreign, marked, disabled, changed bool
}

// world is an API object, its process, and the outside system, all in memory.
type world struct {
	require.TestingT
	now    time.Time
	things map[string]*thing
	made   int
	late   []time.Time // when creates without a response take effect

	stored, draft *ownership.Status
	secrets       map[string]bool // ids whose once-only data is stored
	goneSince     time.Time

	object Object
	calls  []string // the calls, in order
	// fate decides the outcome of a call. kills is the number of steps until the process is killed;
	// negative means never.
	fate  func(call string) effect
	kills int
	left  []string
	ended bool
}

func newWorld(t require.TestingT) *world {
	w := &world{
		TestingT: t, now: testNow, things: map[string]*thing{}, secrets: map[string]bool{}, stored: &ownership.Status{}, kills: -1,
		fate: func(string) effect { return done },
	}
	w.object = Object{
		Want:     ownership.Want{Slot: testSlot, Retained: testRetained, LetGo: "kubectl patch …"},
		Endpoint: ownership.Endpoint{Verified: true, LeaderSince: testNow.Add(-time.Hour)},
		Ledger:   func() *ownership.Status { return w.draft }, Now: func() time.Time { return w.now },
		Store: w.store, Observe: w.observe, Create: w.create, Change: w.change,
		Delete: w.delete, Disable: w.disable, Mark: w.mark,
		Notify: func(d ownership.Decision) { w.calls = append(w.calls, "notify "+string(d.Action)) },
	}
	return w
}

// add adds an object to the outside system.
func (w *world) add(reference string, foreign bool) string {
	w.made++
	id := fmt.Sprintf("id-%d", w.made)
	w.things[id] = &thing{Object: ownership.Object{ID: id, Reference: reference, Name: reference}, foreign: foreign}
	return id
}

// hold adds an object that the ledger holds.
func (w *world) hold(origin ownership.Origin) string {
	reference := testKey
	if origin == ownership.Adopted {
		reference = testName
	}
	id := w.add(reference, origin != ownership.Created)
	w.secrets[id] = true
	w.stored.Records = ownership.Ledger(w.stored.Records).Hold(testSlot, id, origin, w.now)
	return id
}

func (w *world) taken(reference string) bool {
	for _, each := range w.things {
		if each.Reference == reference {
			return true
		}
	}
	return false
}

// step is a point at which the process may be killed.
func (w *world) step() {
	if w.kills == 0 {
		panic(killed{})
	}
	w.kills--
}

// call records a call and returns its outcome.
func (w *world) call(name string) effect {
	w.step()
	w.calls = append(w.calls, name)
	return w.fate(name)
}

func (w *world) store(context.Context) error {
	switch w.call("store") {
	case unsent:
		return errConflict
	case dropped:
	case done:
		w.stored = w.draft.DeepCopy()
	case answered:
		w.stored = w.draft.DeepCopy()
		return errLost
	}
	w.step()
	w.draft = w.stored.DeepCopy()
	return nil
}

func (w *world) observe(_ context.Context, live bool) (ownership.Observed, error) {
	name := "observe"
	if live {
		name = "look"
	}
	if w.call(name) != done {
		return ownership.Observed{}, errLost
	}
	list := &ownership.List{}
	for _, id := range slices.Sorted(maps.Keys(w.things)) {
		list.Objects = append(list.Objects, w.things[id].Object)
	}
	list.Rows, list.Total = len(list.Objects), len(list.Objects)
	o := ownership.Observed{List: list, Live: live}
	for id, each := range w.things {
		o.Incomplete = o.Incomplete || each.Reference == testKey && !w.secrets[id]
	}
	missing := false
	for _, record := range w.draft.Records {
		if record.ID == "" {
			continue
		}
		read := ownership.Read{ID: record.ID}
		if each, exists := w.things[record.ID]; exists {
			read.Object = &each.Object
		}
		o.Reads = append(o.Reads, read)
		missing = missing || record.State == ownership.Held && read.Object == nil
	}
	switch {
	case !missing:
		w.goneSince = time.Time{}
	case w.goneSince.IsZero():
		w.goneSince = w.now
	}
	o.GoneSince = w.goneSince
	return o, nil
}

func (w *world) create(_ context.Context, key string) (string, error) {
	record, intended := ownership.Ledger(w.stored.Records).Current(testSlot)
	require.True(w, intended && record.State == ownership.Intended && record.Key == key, "a create without a stored intent")
	fate := w.call("create")
	switch {
	case fate == refused:
		return "", &RefusedError{Err: errors.New("403")}
	case fate == late:
		w.late = append(w.late, w.now.Add(150*time.Second))
		return "", errLost
	case fate == unsent || w.taken(key): // an occupied key causes a 409 response
		return "", errLost
	}
	id := w.add(key, false)
	if fate == answered {
		return "", errLost
	}
	w.step()
	w.secrets[id] = true
	w.step()
	return id, nil
}
