// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// startGoal is the maximum time from the start of roadstead-apiserver until it is ready, in
	// seconds.
	startGoal = 3
	// startLimit bounds the wait.
	startLimit = 2 * time.Minute
)

// measureStart measures the time from the start of roadstead-apiserver, with its embedded store,
// until it is ready.
func measureStart(ctx context.Context, b *bed) ([]Row, error) {
	row := Row{
		Measure: "start to ready", Variant: fmt.Sprintf("embedded store, %d Users", b.plan.Objects), Unit: "s", Goal: atMost(ofOurs, startGoal),
		Requests: b.plan.Starts,
	}
	var times []float64
	for range b.plan.Starts {
		took, err := b.restart(ctx)
		if err != nil {
			return nil, err
		}
		times = append(times, took.Seconds())
	}
	row.Ours = spread(times)
	return []Row{row}, nil
}

// restart restarts roadstead-apiserver, with additional arguments for this run, and returns the
// time until it was ready. It waits until kube-apiserver forwards requests again.
func (b *bed) restart(ctx context.Context, args ...string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	server := b.roadstead.APIServer()
	if err := server.Stop(); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := server.StartWith(ctx, args...); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	if err := b.roadstead.AwaitAvailable(ctx); err != nil {
		return took, err
	}
	return took, b.awaitWritable(ctx)
}

// measureNameBlind reads distinct Users from a server that authorizes all objects of a namespace
// with one request.
func measureNameBlind(ctx context.Context, b *bed) ([]Row, error) {
	const flag = "--authorization-name-blind"
	if _, err := b.restart(ctx, flag); err != nil {
		return nil, err
	}
	rows, err := b.getMany(ctx, "with "+flag)
	if err != nil {
		return nil, err
	}
	_, err = b.restart(ctx)
	return rows, err
}
