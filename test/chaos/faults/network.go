// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"time"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

func drop(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	link := pick(w.Links(), fault)
	link.Hold(true)
	return injected{what: "no packet from " + link.Name(), heal: func(context.Context) error { link.Hold(false); return nil }}, nil
}

// most is the maximum latency of one packet.
const most = 400 * time.Millisecond

func latency(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	link := pick(w.Links(), fault)
	by := 50*time.Millisecond + time.Duration(fault.Pick)%most
	link.Delay(by)
	return injected{
		what: by.Round(time.Millisecond).String() + " from " + link.Name(),
		heal: func(context.Context) error { link.Delay(0); return nil },
	}, nil
}

func cut(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	link := pick(w.Links(), fault)
	link.Cut()
	return injected{what: "the connections from " + link.Name() + " are cut", heal: func(context.Context) error { return nil }}, nil
}
