// SPDX-License-Identifier: Apache-2.0

// Package plan draws from a seed what a chaos run does and when: the same seed and options give the same plan.
package plan

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"
)

// Options say how large a plan is.
type Options struct {
	// Seed decides everything that is drawn.
	Seed uint64
	// Length is the time from the first operation to the last; what is begun then still ends.
	Length time.Duration
	// Clients is how many work at once, each in a namespace of its own.
	Clients int
	// Faults are the kinds to draw from. Empty: all.
	Faults []FaultKind
}

// Plan is what a run does.
type Plan struct {
	Options
	// Operations are those of each client, in order.
	Operations [][]Operation
	// Faults are in the order of their begin; some overlap.
	Faults []Fault
}

// Operation is one thing that a client does.
type Operation struct {
	// At is when, counted from the begin. A client that is late does it as soon as it can.
	At time.Duration
	Do Verb
	// Pick chooses among the objects that there are at that moment.
	Pick uint32
}

// Verb is what an operation does.
type Verb string

// What clients do.
const (
	CreateDomain     Verb = "create-domain"
	CreateUser       Verb = "create-user"
	CreateMockServer Verb = "create-mockserver"
	Patch            Verb = "patch"
	Apply            Verb = "apply"
	Delete           Verb = "delete"
	DeleteNamespace  Verb = "delete-namespace"
	ClaimForeign     Verb = "claim-foreign"
	ChangeCRD        Verb = "change-crd"
)

// weights say how often each is drawn.
var weights = []struct {
	verb   Verb
	weight int
}{
	{CreateDomain, 16}, {CreateUser, 18}, {CreateMockServer, 8}, {Patch, 20}, {Apply, 12}, {Delete, 14},
	{DeleteNamespace, 3}, {ClaimForeign, 3}, {ChangeCRD, 6},
}

const (
	// between is the mean time between two operations of one client.
	between = 1200 * time.Millisecond
	// calm is how long a run goes without a fault at its begin, so that there is something to break.
	calm = 6 * time.Second
)

// New draws a plan.
func New(options Options) Plan {
	p := Plan{Options: options}
	for client := range options.Clients {
		p.Operations = append(p.Operations, operations(stream(options.Seed, uint64(client)+1), options.Length))
	}
	p.Faults = faults(stream(options.Seed, 0), options)
	return p
}

// stream is a source of its own for each part, so that a longer one does not shift the others.
func stream(seed, part uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, part)) }

func operations(random *rand.Rand, length time.Duration) []Operation {
	var all []Operation
	at := time.Duration(0)
	for first := true; ; first = false {
		at += spread(random, between)
		if at > length {
			return all
		}
		do := draw(random)
		if first {
			do = CreateDomain // all else needs one
		}
		all = append(all, Operation{At: at, Do: do, Pick: random.Uint32()})
	}
}

func draw(random *rand.Rand) Verb {
	sum := 0
	for _, one := range weights {
		sum += one.weight
	}
	left := random.IntN(sum)
	for _, one := range weights {
		if left -= one.weight; left < 0 {
			return one.verb
		}
	}
	return Patch
}

// spread gives half of the mean to one and a half of it.
func spread(random *rand.Rand, mean time.Duration) time.Duration {
	return mean/2 + time.Duration(random.Int64N(int64(mean)))
}

// Print writes the plan for people. What clients do is summed up, unless all is set.
func (p Plan) Print(out io.Writer, all bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "seed %d, %s, %d clients\n", p.Seed, p.Length, p.Clients)
	for _, fault := range p.Faults {
		_, _ = fmt.Fprintf(table, "%s\tfor %s\t%s\n", round(fault.At), round(fault.For), fault)
	}
	for client, operations := range p.Operations {
		counts := map[Verb]int{}
		for _, one := range operations {
			counts[one.Do]++
			if all {
				_, _ = fmt.Fprintf(table, "%s\tclient %d\t%s %d\n", round(one.At), client, one.Do, one.Pick)
			}
		}
		_, _ = fmt.Fprintf(table, "client %d\t%d operations\t%v\n", client, len(operations), counts)
	}
	return table.Flush()
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// Check gives an error for options that no plan can be made of.
func (o Options) Check() error {
	if o.Length < calm || o.Clients < 1 {
		return fmt.Errorf("a run needs %s or more and a client or more: got %s and %d", calm, o.Length, o.Clients)
	}
	for _, kind := range o.Faults {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("fault %q is unknown: use some of %v", kind, Kinds())
		}
	}
	return nil
}
