// SPDX-License-Identifier: Apache-2.0

// Package history keeps what clients asked for and what they were told.
package history

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"
)

// Outcome is what a client knows about a write.
type Outcome string

const (
	// Acknowledged says: the server answered that it is done.
	Acknowledged Outcome = "acknowledged"
	// Refused says: the server answered that it is not done and never will be.
	Refused Outcome = "refused"
	// Unknown says: no answer, or one that leaves open whether it is done, now or later.
	Unknown Outcome = "unknown"
)

// Verb is what a write does.
type Verb string

// What writes do. A delete of a namespace deletes all that is in it.
const (
	Create          Verb = "create"
	Change          Verb = "change"
	Delete          Verb = "delete"
	DeleteNamespace Verb = "delete-namespace"
	// Read is a get, of which the answer is kept: Mark and UID, or Absent.
	Read Verb = "read"
)

// Key names an object.
type Key struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name,omitempty"`
}

// String is kind namespace/name.
func (k Key) String() string { return k.Kind + " " + k.Namespace + "/" + k.Name }

// Write is one request. Each carries a mark of its own into the object, so that what is stored tells which write it is of.
// Changes and deletes are conditional on the version that the client saw, so one that comes late cannot undo a later one.
type Write struct {
	// ID is the mark.
	ID         int       `json:"id"`
	Key        Key       `json:"key"`
	Verb       Verb      `json:"verb"`
	Begin, End time.Time `json:"-"`
	// From and To are Begin and End from the begin of the run, for people.
	From    string  `json:"from"`
	To      string  `json:"to"`
	Outcome Outcome `json:"outcome"`
	// UID and Version are of the answer.
	UID     string `json:"uid,omitempty"`
	Version string `json:"version,omitempty"`
	// Mark is what a read found, Absent that it found nothing, Deleting that the object was being deleted.
	Mark     int  `json:"mark,omitempty"`
	Absent   bool `json:"absent,omitempty"`
	Deleting bool `json:"deleting,omitempty"`
	// Domain is the name of the Domain that the object goes with, empty for Domains.
	Domain string `json:"domain,omitempty"`
	// Note is the error.
	Note string `json:"note,omitempty"`
}

// History takes writes of several clients at once.
type History struct {
	begin time.Time

	mu     sync.Mutex
	next   int
	writes []Write
}

// New begins one.
func New(begin time.Time) *History { return &History{begin: begin} }

// Mark gives a mark that no other write has.
func (h *History) Mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return h.next
}

// Add takes a write that has ended.
func (h *History) Add(w Write) {
	w.From, w.To = w.Begin.Sub(h.begin).Round(time.Millisecond).String(), w.End.Sub(h.begin).Round(time.Millisecond).String()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writes = append(h.writes, w)
}

// Writes gives all so far, in the order of their end.
func (h *History) Writes() []Write {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.writes)
}

// Print writes all so far, one JSON object a line.
func (h *History) Print(out io.Writer) error {
	lines := json.NewEncoder(out)
	for _, w := range h.Writes() {
		if err := lines.Encode(w); err != nil {
			return err
		}
	}
	return nil
}
