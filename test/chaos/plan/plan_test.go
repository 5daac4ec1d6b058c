// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheSameSeedGivesTheSamePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := Options{Seed: rapid.Uint64().Draw(t, "seed"), Length: 3 * time.Minute, Clients: 2}
		require.Equal(t, New(options), New(options))
		other := options
		other.Seed++
		require.NotEqual(t, New(options).Operations, New(other).Operations)
	})
}

func TestALongerPlanBeginsAsTheShorterOne(t *testing.T) {
	short := New(Options{Seed: 4, Length: time.Minute, Clients: 1})
	long := New(Options{Seed: 4, Length: 10 * time.Minute, Clients: 3})
	require.Equal(t, short.Operations[0], long.Operations[0][:len(short.Operations[0])])
	require.Equal(t, short.Faults, long.Faults[:len(short.Faults)])
}

func TestTenMinutesMeetEveryKind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(Options{Seed: rapid.Uint64().Draw(t, "seed"), Length: 10 * time.Minute, Clients: 1})
		seen := map[FaultKind]bool{}
		for _, fault := range p.Faults {
			seen[fault.Kind] = true
			require.LessOrEqual(t, fault.At+fault.For, p.Length)
			require.GreaterOrEqual(t, fault.At, calm)
		}
		require.Len(t, seen, len(Kinds()))
		require.True(t, slices.IsSortedFunc(p.Faults, func(a, b Fault) int { return int(a.At - b.At) }))
		require.Equal(t, CreateDomain, p.Operations[0][0].Do)
	})
}

func TestLeadersAreMetOneAfterAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(Options{Seed: rapid.Uint64().Draw(t, "seed"), Length: 20 * time.Minute, Clients: 1})
		var former *Fault
		for i := range p.Faults {
			fault := &p.Faults[i]
			if !ofLeader(fault.Kind) {
				continue
			}
			if former != nil {
				require.GreaterOrEqual(t, fault.At, former.At+former.For+handover, "%s after %s", fault, former)
			}
			former = fault
		}
		require.NotNil(t, former)
	})
}

func TestOnlyTheKindsThatAreAskedFor(t *testing.T) {
	p := New(Options{Seed: 1, Length: time.Minute, Clients: 1, Faults: []FaultKind{Takaro}})
	require.NotEmpty(t, p.Faults)
	for _, fault := range p.Faults {
		require.Equal(t, Takaro, fault.Kind)
	}
}

func TestPrint(t *testing.T) {
	p := New(Options{Seed: 7, Length: time.Minute, Clients: 2})
	var short, long strings.Builder
	require.NoError(t, p.Print(&short, false))
	require.NoError(t, p.Print(&long, true))
	require.Contains(t, short.String(), "seed 7, 1m0s, 2 clients\n")
	require.Contains(t, short.String(), string(p.Faults[0].Kind))
	require.NotContains(t, short.String(), "client 0  create-domain ")
	require.Greater(t, strings.Count(long.String(), "\n"), len(p.Operations[0])+len(p.Operations[1]))
}

func TestOptions(t *testing.T) {
	require.NoError(t, Options{Length: time.Minute, Clients: 1}.Check())
	require.ErrorContains(t, Options{Length: time.Second, Clients: 1}.Check(), "6s or more")
	require.ErrorContains(t, Options{Length: time.Minute}.Check(), "a client or more")
	require.ErrorContains(t, Options{Length: time.Minute, Clients: 1, Faults: []FaultKind{"flood"}}.Check(), `"flood" is unknown`)
}
