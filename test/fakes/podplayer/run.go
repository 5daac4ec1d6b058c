// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// killedCode is the exit code of a process that was ended by SIGKILL.
const killedCode = 137

// execute performs one run: it ends with the behavior, or a grace period after the request to stop.
func (c *container) execute(ctx context.Context, run *Pod, behave Behaviour) int {
	w := c.worker
	ctx, cancel := context.WithCancel(ctx)
	run.cancel = cancel
	begin := now()
	w.player.counts.starts.Add(1)
	w.player.counts.running.Add(1)
	w.change(func() {
		if c.state.Terminated != nil {
			c.last = c.state
		}
		c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: begin}}
		c.current, c.restarts, c.started, c.ready = run, run.Restarts, false, false
	})
	probing := make(chan struct{})
	go func() {
		defer close(probing)
		c.probe(ctx, run)
	}()
	result := make(chan int, 1)
	w.player.tasks.Go(func() { result <- protected(ctx, run, behave) })
	exit := c.await(ctx, run, result)
	cancel()
	<-probing
	w.player.counts.running.Add(-1)
	reason := "Completed"
	if exit != 0 {
		reason = "Error"
	}
	w.change(func() {
		c.current, c.started, c.ready = nil, false, false
		c.state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(exit), Reason: reason, StartedAt: begin,
			FinishedAt: now(), ContainerID: c.id()}}
	})
	return exit
}

func (c *container) await(ctx context.Context, run *Pod, result <-chan int) int {
	exit := killedCode
	select {
	case exit = <-result:
	case <-ctx.Done():
		late := time.NewTimer(c.worker.grace())
		defer late.Stop()
		select {
		case exit = <-result:
		case <-late.C:
			run.Logf("podplayer: still running when the grace period was over")
		}
	}
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.killed != nil {
		return *run.killed
	}
	return exit
}

// protected turns a panic into exit code 2, as that of a Go program.
func protected(ctx context.Context, run *Pod, behave Behaviour) (exit int) {
	defer func() {
		if r := recover(); r != nil {
			run.Logf("panic: %v\n%s", r, debug.Stack())
			exit = 2
		}
	}()
	return behave(ctx, run)
}

// kill ends the run with this exit code.
func (p *Pod) kill(exit int) {
	p.mu.Lock()
	p.killed = &exit
	p.mu.Unlock()
	p.cancel()
}
