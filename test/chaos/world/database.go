// SPDX-License-Identifier: Apache-2.0

package world

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// memory records what changes in Takaro without a request: the domains that other clients created,
// and what its databases lost. The zero value is ready for use.
type memory struct {
	// mu is held while a database changes, so that Outside returns the domains and what is known
	// about them at the same time.
	mu       sync.Mutex
	replaced bool
	planted  []check.Planted
	lapses   check.Lapses
}

// errReplaced means that another fault currently replaces the database: the end of one fault would
// revert the other.
var errReplaced = errors.New("the database of Takaro is being replaced already")

// Outside returns what both Takaros contain now.
func (w *World) Outside() check.Outside {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	return check.Outside{
		Domains: append(w.Takaro.Domains(), w.Failing.Domains()...),
		Planted: slices.Clone(w.memory.planted), Lapses: slices.Clone(w.memory.lapses),
	}
}

// change changes the database and records what was lost and what returned.
func (w *World) change(do func() error) error {
	before := w.Takaro.Domains()
	err := do()
	l := check.Difference(time.Now(), before, w.Takaro.Domains())
	if len(l.Lost)+len(l.Returned) > 0 {
		w.memory.lapses = append(w.memory.lapses, l)
	}
	return err
}

// begin reserves the database for one fault.
func (w *World) begin() error {
	if w.memory.replaced {
		return errReplaced
	}
	w.memory.replaced = true
	return nil
}

// ForgetTakaro makes Takaro serve the database with that name, which is empty at first, until back
// is called. It creates a foreign domain in the database.
func (w *World) ForgetTakaro(name string) (back func(), err error) {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	if err := w.begin(); err != nil {
		return nil, err
	}
	planted := w.memory.planted
	var former string
	_ = w.change(func() error { former, _ = w.Takaro.SwapDatabase(name, true); return nil })
	w.memory.planted = w.others[name]
	if w.memory.planted == nil {
		if _, err := w.plant(takaro.Seed{Name: "foreign-in-" + name, ExternalReference: "foreign-in-" + name}, false); err != nil {
			w.Logf("no foreign domain in database %s: %v", name, err)
		}
	}
	return func() {
		w.memory.mu.Lock()
		defer w.memory.mu.Unlock()
		if w.others == nil {
			w.others = map[string][]check.Planted{}
		}
		w.others[name] = w.memory.planted
		_ = w.change(func() error { w.Takaro.SwapDatabase(former, true); return nil })
		w.memory.planted, w.memory.replaced = planted, false
	}, nil
}

// RollBackTakaro saves the database of Takaro and restores it when back is called.
func (w *World) RollBackTakaro() (back func() error, err error) {
	const snapshot = "chaos"
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	if err := w.begin(); err != nil {
		return nil, err
	}
	w.Takaro.SaveSnapshot(snapshot)
	planted := w.memory.planted
	return func() error {
		w.memory.mu.Lock()
		defer w.memory.mu.Unlock()
		w.memory.planted, w.memory.replaced = planted, false
		return w.change(func() error { return w.Takaro.RestoreSnapshot(snapshot, true) })
	}, nil
}

// Plant creates a foreign domain. A shared one is for a Domain to adopt.
func (w *World) Plant(seed takaro.Seed, shared bool) (takaro.Domain, error) {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	return w.plant(seed, shared)
}

func (w *World) plant(seed takaro.Seed, shared bool) (takaro.Domain, error) {
	planted, _, err := w.Takaro.PlantDomain(seed)
	if err == nil {
		w.add(planted, shared)
	}
	return planted, err
}

func (w *World) add(domain takaro.Domain, shared bool) {
	w.memory.planted = append(slices.Clone(w.memory.planted), check.Planted{Domain: domain, Shared: shared})
}

// PlantStranger creates a foreign domain with the reference, replacing the domain that has it now.
func (w *World) PlantStranger(reference string) (takaro.Domain, error) {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	var planted takaro.Domain
	err := w.change(func() (err error) {
		planted, err = w.Takaro.PlantStranger(takaro.Stranger{Reference: reference, Name: "stranger-" + reference, Replace: true})
		return err
	})
	if err == nil {
		// The replaced domain may be another foreign one.
		w.removeWhere(func(p check.Planted) bool { return p.ExternalReference == reference })
		w.add(planted, false)
	}
	return planted, err
}

// RemovePlanted deletes a foreign domain.
func (w *World) RemovePlanted(id string) {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	w.Takaro.RemoveDomain(id)
	w.remove(id)
}

func (w *World) remove(id string) {
	w.removeWhere(func(p check.Planted) bool { return p.ID == id })
}

func (w *World) removeWhere(match func(check.Planted) bool) {
	w.memory.planted = slices.DeleteFunc(slices.Clone(w.memory.planted), match)
}

// GiveAway changes the reference of a domain until GiveBack is called, as another client would.
func (w *World) GiveAway(id, reference string) (former string, err error) {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	if err := w.begin(); err != nil {
		return "", err
	}
	former, err = w.Takaro.ChangeReference(id, reference)
	w.memory.replaced = err == nil
	return former, err
}

// Given records that a domain was given away: from now on nothing may change it. It returns an
// error if a request that was already in progress has done so.
func (w *World) Given(id, reference string) error {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	domain, found := w.Takaro.Domain(id)
	if !found || domain.ExternalReference != reference {
		return fmt.Errorf("domain %s was changed while it was given away", id)
	}
	w.add(domain, true)
	return nil
}

// GiveBack restores the reference of a domain that was given away, if it still exists.
func (w *World) GiveBack(id, given, reference string) error {
	w.memory.mu.Lock()
	defer w.memory.mu.Unlock()
	w.remove(id)
	w.memory.replaced = false
	if domain, found := w.Takaro.Domain(id); !found || domain.ExternalReference != given {
		return nil
	}
	_, err := w.Takaro.ChangeReference(id, reference)
	return err
}
