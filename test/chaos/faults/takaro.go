// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"time"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// failures are faults of requests to Takaro. The worst one for a create is that it is applied but
// not answered.
var failures = []takaro.Fault{
	{Kind: takaro.FaultErrorBefore}, {Kind: takaro.FaultErrorAfter}, {Kind: takaro.FaultCutBefore}, {Kind: takaro.FaultCutAfter},
	{Kind: takaro.FaultErrorAfter, Method: "POST", Path: "/domain"}, {Kind: takaro.FaultCutAfter, Method: "POST", Path: "/domain"},
	{Kind: takaro.FaultErrorAfter, Method: "POST", Path: "/user"}, {Kind: takaro.FaultCutAfter, Method: "POST", Path: "/user/*/role/*"},
	{Kind: takaro.FaultErrorAfter, Method: "DELETE"}, {Kind: takaro.FaultHalfMade, Method: "POST", Path: "/domain"},
	{Kind: takaro.FaultBadGateway}, {Kind: takaro.FaultTooMany, RetryAfter: 2 * time.Second}, {Kind: takaro.FaultTokenRevoked},
	{Kind: takaro.FaultDown}, {Kind: takaro.FaultLatency, Latency: 3 * time.Second}, {Kind: takaro.FaultSlowBody,
		Latency: 20 * time.Millisecond},
	{Kind: takaro.FaultConnectorRefuse}, {Kind: takaro.FaultConnectorSilent},
}

func failTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return answer(w, pick(failures, fault))
}

// truncations are the searches that return only some of their rows. If the total matches the rows,
// no client can detect this from the response.
var truncations = []takaro.Fault{
	{Kind: takaro.FaultTruncate, Path: "/**", Rows: 1}, {Kind: takaro.FaultTruncate, Path: "/**", Rows: 1, Total: takaro.TotalLie},
	{Kind: takaro.FaultTruncate, Path: "/domain/search", Rows: 3},
	{Kind: takaro.FaultTruncate, Path: "/domain/search", Total: takaro.TotalLie},
	{Kind: takaro.FaultTruncate, Path: "/user/search"}, {Kind: takaro.FaultTruncate, Path: "/user/search", Rows: 1, Total: takaro.TotalLie},
	{Kind: takaro.FaultTruncate, Path: "/gameserver/search", Total: takaro.TotalLie},
}

func truncateTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return answer(w, pick(truncations, fault))
}

// endless are the responses that keep a client waiting or let its memory grow.
var endless = []takaro.Fault{
	{Kind: takaro.FaultEndless, Latency: 20 * time.Millisecond},
	{Kind: takaro.FaultEndless, Path: "/domain/search", Latency: 20 * time.Millisecond},
	{Kind: takaro.FaultOutlast, Latency: 5 * time.Second},
	{Kind: takaro.FaultOutlast, Method: "POST", Path: "/domain", Latency: 8 * time.Second},
	{Kind: takaro.FaultSlowBody, Latency: 500 * time.Millisecond},
}

func endlessTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return answer(w, pick(endless, fault))
}

// answer makes Takaro answer with a fault.
func answer(w *world.World, chosen takaro.Fault) (injected, error) {
	id, err := w.Takaro.InjectFault(chosen)
	return injected{
		what: "Takaro answers " + chosen.Method + " " + chosen.Path + " with " + string(chosen.Kind),
		heal: func(context.Context) error { w.Takaro.RemoveFault(id); return nil },
	}, err
}

// jumps are the changes of Takaro's clock. The last ones expire every token that Takaro has issued.
var jumps = []time.Duration{-time.Hour, 10 * time.Minute, -6 * 24 * time.Hour, 6 * 24 * time.Hour}

func jumpTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	by := pick(jumps, fault)
	w.JumpTakaroClock(by)
	return injected{what: "the clock of Takaro jumps by " + by.String(),
		heal: func(context.Context) error { w.JumpTakaroClock(0); return nil }}, nil
}
