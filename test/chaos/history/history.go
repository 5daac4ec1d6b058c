// SPDX-License-Identifier: Apache-2.0

// Package history records the requests of clients and their results.
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
	// Acknowledged means that the server answered that the write is done.
	Acknowledged Outcome = "acknowledged"
	// Refused means that the server answered that the write is not done and never will be.
	Refused Outcome = "refused"
	// Unknown means no response, or one that leaves open whether the write is done, now or later.
	Unknown Outcome = "unknown"
)

// Verb is the kind of a write.
type Verb string

// The kinds of writes. Deleting a namespace deletes everything in it.
const (
	Create          Verb = "create"
	Change          Verb = "change"
	Delete          Verb = "delete"
	DeleteNamespace Verb = "delete-namespace"
	// Read is a get. Its result is recorded: Mark and UID, or Absent.
	Read Verb = "read"
)

// Key identifies an object.
type Key struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name,omitempty"`
}

// String returns "kind namespace/name".
func (k Key) String() string { return k.Kind + " " + k.Namespace + "/" + k.Name }

// Write is one request. Each one stores a unique mark in the object, so that the stored object
// shows which write it results from. Changes and deletes are conditional on the version that the
// client saw, so that a delayed one cannot undo a later one.
type Write struct {
	// ID is the mark.
	ID         int       `json:"id"`
	Key        Key       `json:"key"`
	Verb       Verb      `json:"verb"`
	Begin, End time.Time `json:"-"`
	// From and To are Begin and End relative to the start of the run, for the reader.
	From    string  `json:"from"`
	To      string  `json:"to"`
	Outcome Outcome `json:"outcome"`
	// UID and Version are from the response.
	UID     string `json:"uid,omitempty"`
	Version string `json:"version,omitempty"`
	// Mark is the mark that a read found. Absent reports that the object did not exist, and
	// Deleting that it was being deleted.
	Mark     int  `json:"mark,omitempty"`
	Absent   bool `json:"absent,omitempty"`
	Deleting bool `json:"deleting,omitempty"`
	// Domain is the name of the Domain that the object belongs to, empty for Domains.
	Domain string `json:"domain,omitempty"`
	// Note is the error.
	Note string `json:"note,omitempty"`
}

// History records writes of several concurrent clients.
type History struct {
	begin time.Time

	mu     sync.Mutex
	next   int
	writes []Write
}

// New returns an empty History of a run that started at begin.
func New(begin time.Time) *History { return &History{begin: begin} }

// Mark returns a new unique mark.
func (h *History) Mark() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return h.next
}

// Add records a write that has ended.
func (h *History) Add(w Write) {
	w.From, w.To = w.Begin.Sub(h.begin).Round(time.Millisecond).String(), w.End.Sub(h.begin).Round(time.Millisecond).String()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writes = append(h.writes, w)
}

// Writes returns all writes so far, in the order in which they ended.
func (h *History) Writes() []Write {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.writes)
}

// Print writes all writes so far, one JSON object per line.
func (h *History) Print(out io.Writer) error {
	lines := json.NewEncoder(out)
	for _, w := range h.Writes() {
		if err := lines.Encode(w); err != nil {
			return err
		}
	}
	return nil
}
