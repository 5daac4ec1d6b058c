// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// model is a world with two replicas, each of which may be stopped.
type model struct {
	*world
	replicas [2]*Keeper
	// bound contains the replicas whose Get succeeded since they started.
	bound [2]bool
	fresh int
}

// known returns the words in the Secret and in the memory of live replicas.
func (m *model) known() []string {
	var known []string
	if text := m.secret(); text != "absent" && !strings.Contains(text, garbage) {
		known = strings.Fields(text)
	}
	for _, k := range m.replicas {
		if k != nil {
			known = append(known, strings.Fields(words(k.remembered()))...)
		}
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// step lets one replica evaluate the Secret, and verifies the invariants.
func (m *model) step(t *rapid.T, number int) {
	k := m.replicas[number]
	known, recorded, generated, memory := m.known(), m.record.Fingerprints(secretName), m.generated, words(k.remembered())
	got, err := k.Get(m.ctx)
	after := m.record.Fingerprints(secretName)
	require.Subset(t, m.known(), known, "a step lost a value")
	if m.dependents != none {
		require.Equal(t, generated, m.generated, "generated although something may depend on the values")
		require.Subset(t, after, recorded, "a fingerprint was removed although something may depend on the value")
	}
	if memory != "" {
		require.Subset(t, strings.Fields(m.secret()), strings.Fields(memory), "what a live process remembers is in the Secret")
	}
	if err != nil {
		var refused *RefusedError
		require.True(t, errors.As(err, &refused) || m.record.fail != nil, "%v", err)
		return
	}
	m.bound[number] = true
	require.Equal(t, m.secret(), words(got))
	require.Subset(t, prints(strings.Fields(m.secret())...), after, "every recorded value is in the Secret")
	require.Subset(t, after, prints(strings.Fields(m.secret())...), "every value in use is recorded")
}

// TestKeeper_LosesNoValue executes restarts, deletions and overwrites with two replicas in random
// order.
func TestKeeper_LosesNoValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{world: newWorld(t, context.Background())}
		m.dependents = none
		replica := rapid.IntRange(0, 1)
		t.Repeat(map[string]func(*rapid.T){
			"restart": func(t *rapid.T) {
				number := replica.Draw(t, "replica")
				m.replicas[number], m.bound[number] = m.keeper(), false
			},
			"crash": func(t *rapid.T) {
				number := replica.Draw(t, "replica")
				m.replicas[number], m.bound[number] = nil, false
			},
			"step": func(t *rapid.T) {
				if number := replica.Draw(t, "replica"); m.replicas[number] != nil {
					m.step(t, number)
				}
			},
			"exit": func(t *rapid.T) {
				number := replica.Draw(t, "replica")
				if m.replicas[number] == nil {
					t.Skip("not running")
				}
				memory := words(m.replicas[number].remembered())
				require.NoError(t, m.replicas[number].Restore(m.ctx))
				m.replicas[number], m.bound[number] = nil, false
				if memory != "" {
					require.Subset(t, strings.Fields(m.secret()), strings.Fields(memory))
				}
			},
			"delete": func(*rapid.T) { m.delete() },
			"overwrite": func(*rapid.T) {
				m.fresh++
				m.put(fmt.Sprintf("word%d", m.fresh))
			},
			"add": func(t *rapid.T) {
				text := m.secret()
				if text == "absent" || strings.Contains(text, garbage) {
					t.Skip("nothing to add to")
				}
				m.fresh++
				m.put(fmt.Sprintf("word%d %s", m.fresh, text))
			},
			"garbage": func(*rapid.T) { m.put(garbage) },
			"record": func(t *rapid.T) {
				m.record.fail = nil
				if rapid.Bool().Draw(t, "fails") {
					m.record.fail = errors.New("the record is unavailable")
				}
			},
			"dependents": func(t *rapid.T) {
				// Only a bound process stores objects.
				m.dependents = none
				if m.bound[0] || m.bound[1] {
					m.dependents = rapid.SampledFrom([]dependents{none, some, some, unknown}).Draw(t, "dependents")
				}
			},
		})
	})
}
