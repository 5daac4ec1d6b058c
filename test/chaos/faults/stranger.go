// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"slices"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/observe"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

// errNobody reports that there is no object that the fault could affect.
var errNobody = errors.New("there is no object for it")

// domainsLike returns the Domains that match, in the order of their names.
func domainsLike(ctx context.Context, w *world.World, match func(check.Object) bool) ([]check.Object, error) {
	all, err := observe.Stored(ctx, w.Dynamic)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o check.Object) bool { return o.Key.Kind != check.Domain || o.Deleting || !match(o) })
	if len(all) == 0 {
		return nil, errNobody
	}
	slices.SortFunc(all, func(a, b check.Object) int { return slices.Compare([]string{a.Key.String()}, []string{b.Key.String()}) })
	return all, nil
}

// plantStranger creates a domain of another client under the reference that a Domain specifies,
// whether the Domain already has its domain or was refused. In half of the cases the domain is
// removed at the end.
func plantStranger(ctx context.Context, w *world.World, fault plan.Fault) (injected, error) {
	foreign := map[string]bool{}
	for _, planted := range w.Outside().Planted {
		foreign[planted.ExternalReference] = true
	}
	typed, err := domainsLike(ctx, w, func(o check.Object) bool { return o.Reference != "" && !o.Adopt && !foreign[o.Reference] })
	if err != nil {
		return injected{}, err
	}
	chosen := pick(typed, fault)
	planted, err := w.PlantStranger(chosen.Reference)
	if err != nil {
		return injected{}, err
	}
	heal := func(context.Context) error { return nil }
	if fault.Pick>>8&1 == 1 {
		heal = func(context.Context) error { w.RemovePlanted(planted.ID); return nil }
	}
	return injected{what: "somebody has a domain with the reference of " + chosen.Key.String(), heal: heal}, nil
}

// underWay is the maximum duration of a request that was decided on before a domain was given away.
const underWay = 1500 * time.Millisecond

// giveAway changes the reference of the domain of a Ready Domain.
func giveAway(ctx context.Context, w *world.World, fault plan.Fault) (injected, error) {
	owners, err := domainsLike(ctx, w, func(o check.Object) bool { return o.IsReady() && !o.Adopt && o.Policy != check.Retain })
	if err != nil {
		return injected{}, err
	}
	chosen := pick(owners, fault)
	id, given := chosen.OutsideID, "given-away-"+chosen.UID
	former, err := w.GiveAway(id, given)
	if err != nil {
		return injected{}, err
	}
	wait(ctx, underWay)
	if err := w.Given(id, given); err != nil {
		w.Logf("%s begins too late: %v", fault, err)
	}
	return injected{
		what: "the domain of " + chosen.Key.String() + " belongs to somebody else",
		heal: func(context.Context) error { return w.GiveBack(id, given, former) },
	}, nil
}
