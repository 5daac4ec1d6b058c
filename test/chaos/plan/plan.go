// SPDX-License-Identifier: Apache-2.0

// Package plan generates the plan of a chaos run from a seed: the same seed and options result in
// the same plan.
package plan

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"
)

// Options configure a plan.
type Options struct {
	// Seed determines all random choices.
	Seed uint64
	// Length is the time from the first operation to the last. Operations that have started then
	// are completed.
	Length time.Duration
	// Clients is the number of concurrent clients, each in a separate namespace.
	Clients int
	// Faults are the kinds to draw from. Empty means all.
	Faults []FaultKind
}

// Plan lists the operations and faults of a run.
type Plan struct {
	Options
	// Operations are the operations of each client, in order.
	Operations [][]Operation
	// Faults are in the order of their start. Some overlap.
	Faults []Fault
}

// Operation is one operation of a client.
type Operation struct {
	// At is the time since the start. A client that is late performs the operation as soon as it
	// can.
	At time.Duration
	Do Verb
	// Pick selects one of the objects that exist at that time.
	Pick uint32
}

// Verb is the kind of an operation.
type Verb string

// The kinds of operations.
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

// weights are the relative frequencies of operations.
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
	// calm is the time without faults at the start of a run, in which objects are created.
	calm = 6 * time.Second
)

// New generates a plan.
func New(options Options) Plan {
	p := Plan{Options: options}
	for client := range options.Clients {
		p.Operations = append(p.Operations, operations(stream(options.Seed, uint64(client)+1), options.Length))
	}
	p.Faults = faults(stream(options.Seed, 0), options)
	return p
}

// stream returns a separate random source for each part, so that a longer part does not change the
// others.
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
			do = CreateDomain // all other operations need a Domain
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

// spread returns a random duration from half of the mean to one and a half times the mean.
func spread(random *rand.Rand, mean time.Duration) time.Duration {
	return mean/2 + time.Duration(random.Int64N(int64(mean)))
}

// Print writes the plan in readable form. The operations of clients are summarized unless all is
// set.
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

// Check returns an error if no plan can be generated with the options.
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
