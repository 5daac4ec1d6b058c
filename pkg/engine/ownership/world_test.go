// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"maps"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// row is a domain in a database of the model.
type row struct {
	Object
	// foreign domains were not created by Roadstead, or were reassigned.
	foreign, given bool
}

// database is the content of one Takaro.
type database struct {
	anchor string
	rows   map[string]row
}

func (d *database) copy() *database { return &database{anchor: d.anchor, rows: maps.Clone(d.rows)} }

// taken reports whether a row has the reference, which is unique in Takaro.
func (d *database) taken(reference string) bool {
	for _, r := range d.rows {
		if r.Reference == reference {
			return true
		}
	}
	return false
}

// late is a create whose response did not reach the controller.
type late struct {
	database int
	at       time.Time
}

// former is a controller that lost the Lease while its create was in progress. It may write until it
// is fenced.
type former struct {
	id     string
	ledger Ledger
	until  time.Time
}

// backup is the state that a restore of the cluster restores.
type backup struct {
	ledger  Ledger
	secrets map[string]bool
}

// world contains a Domain, its controller, and two databases, one of which is active.
type world struct {
	*rapid.T
	now       time.Time
	databases [2]*database
	at        int
	created   int

	// ledgerOnly keeps the ledger and disables signs of use.
	ledgerOnly bool

	want     Want
	finished bool
	ledger   Ledger
	secrets  map[string]bool // ids whose root password is stored
	backups  []backup
	adopted  map[string]bool // ids of domains that the user allowed to adopt
	removed  map[string]bool // ids that were treated as the result of an interrupted create
	late     []late
	former   *former

	identity    string // the accepted anchor
	leaderSince time.Time
	goneSince   time.Time
	short, lie  bool      // of the next list
	dropping    bool      // the next write of the ledger
	cache       *Observed // the stale state that the next reconciliation observes first
}

func newWorld(t *rapid.T) *world {
	return &world{
		T: t, now: testNow, identity: "anchor-0", leaderSince: testNow.Add(-time.Hour),
		databases: [2]*database{{anchor: "anchor-0", rows: map[string]row{}}, {anchor: "anchor-1", rows: map[string]row{}}},
		want: Want{Slot: testSlot, Retained: testRetained, Name: rapid.SampledFrom([]string{"", testName}).Draw(t, "name"),
			Policy: rapid.SampledFrom([]Policy{PolicyDelete, PolicyDelete, PolicyDisable, PolicyRetain}).Draw(t, "policy")},
		secrets: map[string]bool{}, adopted: map[string]bool{}, removed: map[string]bool{},
	}
}

func (w *world) takaro() *database { return w.databases[w.at] }

// insert adds a domain like a create; the reference must not be in use.
func (w *world) insert(d *database, reference string, foreign bool) string {
	w.created++
	id := fmt.Sprintf("domain-%d", w.created)
	d.rows[id] = row{Object: Object{ID: id, Reference: reference, Name: reference}, foreign: foreign}
	return id
}

// refer changes the reference of a domain.
func (w *world) refer(id, reference string) {
	if r, exists := w.takaro().rows[id]; exists && !w.takaro().taken(reference) {
		r.Reference, r.Name = reference, reference
		w.takaro().rows[id] = r
	}
}

// use marks a domain as one in which the tenant works. This starts when the domain is Held.
func (w *world) use(id string) {
	if r, exists := w.takaro().rows[id]; exists {
		r.Used = true
		w.takaro().rows[id] = r
	}
}

// remove deletes a domain for the controller and checks that this is allowed.
func (w *world) remove(d Decision) {
	r, exists := w.takaro().rows[d.ID]
	if !exists {
		return
	}
	require.False(w, r.foreign && !w.adopted[d.ID], "a foreign domain was deleted: %+v", d)
	require.False(w, r.given, "a domain that was given away was deleted: %+v", d)
	if d.Action == Remove {
		w.removed[d.ID] = true
		require.False(w, r.Used, "a domain in use was removed while its object lives: %+v", d)
	} else {
		require.True(w, w.want.Delete, "a domain was deleted while its object lives: %+v", d)
	}
	delete(w.takaro().rows, d.ID)
}

// observe reads Takaro: a list and the recorded IDs.
func (w *world) observe(live bool) Observed {
	list := &List{}
	rows := w.takaro().rows
	for _, id := range sorted(rows) {
		if w.lie && rapid.Bool().Draw(w.T, "hidden") {
			continue
		}
		list.Objects = append(list.Objects, w.shown(rows[id]))
	}
	list.Rows, list.Total = len(list.Objects), len(list.Objects)
	if w.short && list.Rows > 0 {
		list.Objects = list.Objects[:list.Rows/2]
		list.Rows = len(list.Objects)
	}
	o := Observed{List: list, Live: live, Incomplete: w.incomplete()}
	for _, record := range w.ledger {
		if record.ID == "" {
			continue
		}
		answer := Read{ID: record.ID}
		if r, exists := rows[record.ID]; exists {
			object := w.shown(r)
			answer.Object = &object
		}
		o.Reads = append(o.Reads, answer)
	}
	record, _ := w.ledger.Current(w.want.Slot)
	_, exists := list.byID(record.ID)
	if record.State != Held || exists || list.Rows < list.Total {
		w.goneSince = time.Time{}
	} else if w.goneSince.IsZero() {
		w.goneSince = w.now
	}
	o.GoneSince = w.goneSince
	return o
}

// shown returns the domain as the controller observes it.
func (w *world) shown(r row) Object {
	object := r.Object
	object.Used = object.Used && !w.ledgerOnly
	return object
}

// incomplete reports whether the root password of the domain with the key is not stored.
func (w *world) incomplete() bool {
	for id, r := range w.takaro().rows {
		if r.Reference == testKey {
			return !w.secrets[id]
		}
	}
	return false
}

func (w *world) endpoint() Endpoint {
	e := Endpoint{Verified: w.takaro().anchor == w.identity, LeaderSince: w.leaderSince}
	if !e.Verified {
		e.Reason, e.Message = ReasonIdentityChanged, "To accept it, run: kubectl annotate …"
	}
	return e
}
