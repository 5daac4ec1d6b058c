// SPDX-License-Identifier: Apache-2.0

// Package faults injects the faults of a plan, with one file per family of faults.
package faults

import (
	"context"
	"fmt"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

// injected is an active fault: what it affects, and how to end it.
type injected struct {
	what string
	heal func(context.Context) error
}

// inject starts a fault of one kind.
type inject func(context.Context, *world.World, plan.Fault) (injected, error)

var kinds = map[plan.FaultKind]inject{
	plan.KillServer: killServer, plan.KillController: killController, plan.KillEtcd: killEtcd, plan.KillHost: killHost,
	plan.Drop: drop, plan.Latency: latency, plan.Cut: cut,
	plan.Takaro: failTakaro, plan.TakaroClock: jumpTakaro,
	plan.TakaroTruncate: truncateTakaro, plan.TakaroEndless: endlessTakaro,
	plan.TakaroForget: forgetTakaro, plan.TakaroRollBack: rollBackTakaro,
	plan.Stranger: plantStranger, plan.GiveAway: giveAway, plan.LoseSecret: loseSecret,
	plan.FreezeController: freezeController, plan.FreezeServer: freezeServer, plan.FreezeEtcd: freezeEtcd,
	plan.ExchangeEtcd: exchangeEtcd, plan.RollBackEtcd: rollBackEtcd,
	plan.SecondLeader: secondLeader, plan.UpgradeServers: upgradeServers, plan.UpgradeControllers: upgradeControllers,
}

// guardless are the faults during which kube-apiserver may not receive a response of the guard in
// time.
var guardless = map[plan.FaultKind]bool{
	plan.KillServer: true, plan.KillHost: true, plan.Drop: true, plan.Latency: true, plan.Cut: true, plan.FreezeServer: true,
	plan.ExchangeEtcd: true, plan.RollBackEtcd: true,
}

const (
	// healLimit bounds the end of a fault: restarting programs may wait for others that restart.
	healLimit = 90 * time.Second
	// recovery is the additional time that the aggregation layer may need to find a server that is
	// available again.
	recovery = 15 * time.Second
)

// awaitServed waits until kube-apiserver finds an API server again, or gives up.
var awaitServed = (*world.World).AwaitServed

// Run injects faults at their times and returns when all have ended. It returns the spans in which
// the guard may have been unavailable. It returns an error for a fault that did not end; a fault
// that could not start is only logged.
func Run(ctx context.Context, w *world.World, begin time.Time, all []plan.Fault) ([]check.Span, error) {
	var mu sync.Mutex
	var spans []check.Span
	var failure error
	var running sync.WaitGroup
	for _, fault := range all {
		wait(ctx, time.Until(begin.Add(fault.At)))
		if ctx.Err() != nil {
			break
		}
		running.Go(func() {
			from := time.Now()
			err := one(ctx, w, fault)
			if guardless[fault.Kind] {
				awaitServed(w, context.WithoutCancel(ctx))
			}
			mu.Lock()
			defer mu.Unlock()
			if guardless[fault.Kind] {
				spans = append(spans, check.Span{From: from, To: time.Now().Add(recovery)})
			}
			if err != nil && failure == nil {
				failure = err
			}
		})
	}
	running.Wait()
	return spans, failure
}

// one starts a fault, waits for its duration, and ends it, even if the run is canceled in the
// meantime.
func one(ctx context.Context, w *world.World, fault plan.Fault) error {
	at, err := kinds[fault.Kind](ctx, w, fault)
	if err != nil {
		w.Logf("%s cannot begin: %v", fault, err)
		if at.heal == nil {
			return nil
		}
	}
	w.Logf("fault %s: %s, for %s", fault, at.what, fault.For.Round(100*time.Millisecond))
	wait(ctx, fault.For)
	healing, cancel := context.WithTimeout(context.WithoutCancel(ctx), healLimit)
	defer cancel()
	if err := at.heal(healing); err != nil {
		return fmt.Errorf("%s (%s) does not end: %w", fault, at.what, err)
	}
	w.Logf("end of %s: %s", fault, at.what)
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// pick selects one element.
func pick[T any](all []T, fault plan.Fault) T { return all[int(fault.Pick)%len(all)] }
