// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestDecide_ModelRun checks for any faults of the process, the ledger, the Secrets and Takaro that
// no foreign domain is changed or deleted, that no domain in use is deleted while its object lives,
// and that the object settles afterwards. The checks are in world.remove, controller.perform and
// controller.decide.
func TestDecide_ModelRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { run(newWorld(t)) })
}

// TestDecide_ModelRunWithLedgerOnly checks the same without signs of use and without the Secrets, as
// long as the ledger is kept.
func TestDecide_ModelRunWithLedgerOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.ledgerOnly = true
		run(w)
	})
}

// run plays events, each followed by some reconciliations, and then lets the object settle.
func run(w *world) {
	c := &controller{world: w}
	for range rapid.IntRange(1, 40).Draw(c.T, "events") {
		c.event()
		for range rapid.IntRange(0, 3).Draw(c.T, "reconciliations") {
			c.kills, c.faults = rapid.IntRange(-3, 6).Draw(c.T, "kills"), true
			c.reconcile()
			c.pass(time.Duration(rapid.SampledFrom([]int{1, 12, 31, 70}).Draw(c.T, "pause")) * time.Second)
		}
	}
	c.settle()
}

// event is one event between two reconciliations.
func (c *controller) event() {
	rows := sorted(c.takaro().rows)
	switch rapid.IntRange(0, 19).Draw(c.T, "event") {
	case 0:
		c.pass(time.Duration(rapid.SampledFrom([]int{250, 2400}).Draw(c.T, "seconds")) * time.Second)
	case 1: // a cache lags behind
		cache := c.observe(false)
		c.cache = &cache
	case 2: // the address resolves to the other database, and the user accepts it
		c.at = 1 - c.at
		c.identity = c.takaro().anchor
	case 3: // a foreign domain gets the name in the spec
		if !c.takaro().taken(testName) {
			c.insert(c.takaro(), testName, true)
		}
	case 4: // a domain gets another reference
		if len(rows) > 0 {
			id := rapid.SampledFrom(rows).Draw(c.T, "given")
			c.refer(id, fmt.Sprintf("somebody-%d", c.created))
			r := c.takaro().rows[id]
			r.given = true
			c.takaro().rows[id] = r
			c.created++
		}
	case 5: // a domain is deleted
		if len(rows) > 0 {
			delete(c.takaro().rows, rapid.SampledFrom(rows).Draw(c.T, "deleted"))
		}
	case 6:
		c.at = 1 - c.at
	case 7:
		c.identity = c.takaro().anchor
	case 8: // the other database becomes a copy, like a backup of Takaro
		anchor := c.databases[1-c.at].anchor
		c.databases[1-c.at] = c.takaro().copy()
		if rapid.Bool().Draw(c.T, "otherAnchor") {
			c.databases[1-c.at].anchor = anchor
		}
	case 9: // Takaro is rolled back
		c.databases[c.at].rows = maps.Clone(c.databases[1-c.at].rows)
	case 10:
		if !c.ledgerOnly {
			c.ledger = nil
		}
	case 11:
		c.backups = append(c.backups, backup{ledger: c.ledger, secrets: maps.Clone(c.secrets)})
	case 12, 13: // the ledger, the Secrets or both are restored
		if len(c.backups) > 0 && !c.ledgerOnly {
			b := rapid.SampledFrom(c.backups).Draw(c.T, "backup")
			if rapid.Bool().Draw(c.T, "ledgerRestored") {
				c.ledger = b.ledger
			}
			if rapid.Bool().Draw(c.T, "secretsRestored") {
				c.secrets = maps.Clone(b.secrets)
			}
		}
	case 14:
		c.secrets = map[string]bool{}
	case 15:
		c.restart()
	case 16:
		c.short, c.lie = rapid.Bool().Draw(c.T, "short"), rapid.Bool().Draw(c.T, "lie")
	case 17:
		c.finish()
	case 18:
		c.want.Adopt = c.want.Name != "" && rapid.Bool().Draw(c.T, "adopt")
		c.dropping = rapid.Bool().Draw(c.T, "dropping")
	case 19:
		c.want.Delete = c.want.Delete || rapid.IntRange(0, 3).Draw(c.T, "delete") == 0
	}
}

// settle reconciles without faults. The object must reach a state that only a user changes.
func (c *controller) settle() {
	c.faults, c.kills, c.cache = false, -1, nil
	settled := []string{"Change", "Done", "Leave", "Refuse(Taken)", "Refuse(ReferenceChanged)", "Wait(NothingToAdopt)",
		"Wait(IdentityChanged)"}
	var d Decision
	for minute, since := 0, 0; minute < 60 && minute-since < 5; minute++ {
		c.pass(time.Minute)
		if d = c.reconcile(); !slices.Contains(settled, outcome(d)) {
			since = minute
		}
	}
	require.Contains(c, settled, outcome(d), "row %d, ledger %+v", d.Row, c.ledger)
	if outcome(d) == "Change" {
		record, _ := c.ledger.Current(c.want.Slot)
		require.Equal(c, Held, record.State)
		require.Contains(c, c.takaro().rows, record.ID)
	}
}
