// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"time"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// failures are what Takaro does to requests; for those of creates the worst is that they are done and not answered.
var failures = []takaro.Fault{
	{Kind: takaro.FaultErrorBefore}, {Kind: takaro.FaultErrorAfter}, {Kind: takaro.FaultCutBefore}, {Kind: takaro.FaultCutAfter},
	{Kind: takaro.FaultErrorAfter, Method: "POST", Path: "/domain"}, {Kind: takaro.FaultCutAfter, Method: "POST", Path: "/domain"},
	{Kind: takaro.FaultErrorAfter, Method: "POST", Path: "/user"}, {Kind: takaro.FaultCutAfter, Method: "POST", Path: "/user/*/role/*"},
	{Kind: takaro.FaultErrorAfter, Method: "DELETE"}, {Kind: takaro.FaultHalfMade, Method: "POST", Path: "/domain"},
	{Kind: takaro.FaultBadGateway}, {Kind: takaro.FaultTooMany, RetryAfter: 2 * time.Second}, {Kind: takaro.FaultTokenRevoked},
	{Kind: takaro.FaultDown}, {Kind: takaro.FaultLatency, Latency: 3 * time.Second}, {Kind: takaro.FaultSlowBody, Latency: 20 * time.Millisecond},
	{Kind: takaro.FaultConnectorRefuse}, {Kind: takaro.FaultConnectorSilent},
}

func failTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	chosen := pick(failures, fault)
	id, err := w.Takaro.InjectFault(chosen)
	return injected{
		what: "Takaro answers " + chosen.Method + " " + chosen.Path + " with " + string(chosen.Kind),
		heal: func(context.Context) error { w.Takaro.RemoveFault(id); return nil },
	}, err
}

// jumps are where the clock of Takaro goes; the last ones end every token that it has given.
var jumps = []time.Duration{-time.Hour, 10 * time.Minute, -6 * 24 * time.Hour, 6 * 24 * time.Hour}

func jumpTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	by := pick(jumps, fault)
	w.JumpTakaroClock(by)
	return injected{what: "the clock of Takaro jumps by " + by.String(), heal: func(context.Context) error { w.JumpTakaroClock(0); return nil }}, nil
}
