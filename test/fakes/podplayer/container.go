// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The crash back-off of a kubelet: none before the first restart, then doubled each time, and reset
// after a long successful run.
const (
	firstBackOff = 10 * time.Second
	mostBackOff  = 5 * time.Minute
	goodRun      = 10 * time.Minute
)

// container plays one container over all its runs. The worker's lock guards the lower part.
type container struct {
	worker *worker
	spec   *corev1.Container
	init   bool
	next   int // restarts before the next run; only play uses it

	state, last corev1.ContainerState
	restarts    int
	started     bool // the startup probe has passed
	ready       bool
	current     *Pod
}

func newContainer(w *worker, spec *corev1.Container, init bool) *container {
	c := &container{worker: w, spec: spec, init: init, state: waiting("ContainerCreating", "")}
	if init || len(w.pod.Spec.InitContainers) > 0 {
		c.state = waiting("PodInitializing", "")
	}
	for _, old := range slices.Concat(w.pod.Status.InitContainerStatuses, w.pod.Status.ContainerStatuses) {
		if old.Name == spec.Name {
			c.takeOver(old)
		}
	}
	return c
}

// takeOver continues from the status that an earlier player left. A run that was not ended is lost,
// as after a reboot of the node.
func (c *container) takeOver(old corev1.ContainerStatus) {
	c.restarts, c.next, c.last = int(old.RestartCount), int(old.RestartCount), old.LastTerminationState
	if old.State.Running != nil {
		c.next++
		c.last = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 255, Reason: "Unknown",
			StartedAt: old.State.Running.StartedAt, FinishedAt: now(), ContainerID: old.ContainerID}}
	}
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// sidecar reports whether this is an init container that keeps running next to the others.
func (c *container) sidecar() bool {
	return c.init && c.spec.RestartPolicy != nil && *c.spec.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// again reports whether a container that ended with this code must run again.
func (c *container) again(exit int) bool {
	policy := c.worker.seen().Spec.RestartPolicy
	switch {
	case c.sidecar():
		return true
	case c.init || policy == corev1.RestartPolicyOnFailure:
		return exit != 0 && policy != corev1.RestartPolicyNever
	}
	return policy == corev1.RestartPolicyAlways
}

// play runs the container until it has ended permanently (true) or its pod ends, and returns the
// last exit code.
func (c *container) play(ctx context.Context) (exit int, ended bool) {
	backOff := time.Duration(0)
	for {
		run, behave := c.prepare(ctx)
		if run == nil {
			return killedCode, false
		}
		begin := time.Now()
		exit = c.execute(ctx, run, behave)
		if ctx.Err() != nil {
			return exit, false
		}
		if !c.again(exit) {
			return exit, true
		}
		if time.Since(begin) > c.worker.player.opts.scaled(goodRun) {
			backOff = 0
		}
		if backOff > 0 {
			c.crashLoop(backOff)
			if !sleep(ctx, c.worker.player.opts.scaled(backOff)) {
				return exit, false
			}
		}
		backOff = min(max(2*backOff, firstBackOff), mostBackOff)
		c.worker.player.counts.restarts.Add(1)
		c.next++
	}
}

func (c *container) crashLoop(backOff time.Duration) {
	w := c.worker
	w.change(func() {
		c.last = c.state
		c.state = waiting("CrashLoopBackOff", fmt.Sprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)", backOff, c.spec.Name,
			w.name, w.namespace, w.uid))
	})
}

// prepare resolves the environment of the container, and retries while an object is missing. It
// returns nil if the pod ends first.
func (c *container) prepare(ctx context.Context) (*Pod, Behaviour) {
	w := c.worker
	for {
		run, err := c.newRun(ctx)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err == nil {
			behave, registered := w.player.opts.behaviour(c.spec.Image)
			if !registered {
				behave = c.played()
			}
			return run, behave
		}
		w.change(func() {
			if c.state.Terminated != nil {
				c.last = c.state
			}
			c.state = waiting("CreateContainerConfigError", err.Error())
		})
		if !sleep(ctx, w.player.retryDelay()) {
			return nil, nil
		}
	}
}

func (c *container) newRun(ctx context.Context) (*Pod, error) {
	w := c.worker
	files := w.resolver()
	env, err := files.env(ctx, c.spec)
	if err != nil {
		return nil, err
	}
	key := logKey(w.namespace, w.name, c.spec.Name)
	run := &Pod{Namespace: w.namespace, Name: w.name, Container: c.spec.Name, Image: c.spec.Image, IP: w.ip, Env: env, Restarts: c.next,
		Object: files.pod, files: files, spec: c.spec, ready: true, healthy: true, settled: make(chan struct{}),
		printf: func(format string, args ...any) { w.player.logs.printf(key, format, args...) }}
	for _, word := range c.spec.Command {
		run.Command = append(run.Command, expand(word, lookUp(env)))
	}
	for _, word := range c.spec.Args {
		run.Args = append(run.Args, expand(word, lookUp(env)))
	}
	return run, run.freeze(ctx)
}

// played returns the behavior of an image without a registered one: containers of Jobs and init
// containers complete immediately, all others wait.
func (c *container) played() Behaviour {
	owner := metav1.GetControllerOf(c.worker.seen())
	if c.init && !c.sidecar() || !c.init && owner != nil && owner.Kind == "Job" {
		return func(context.Context, *Pod) int { return 0 }
	}
	return func(ctx context.Context, _ *Pod) int {
		<-ctx.Done()
		return 0
	}
}

// awaitStarted waits until a sidecar runs and its startup probe has passed. It returns false if the
// pod ends first.
func (c *container) awaitStarted(ctx context.Context) bool {
	for {
		c.worker.mu.Lock()
		started := c.started
		c.worker.mu.Unlock()
		if started {
			return true
		}
		if !sleep(ctx, 5*time.Millisecond) {
			return false
		}
	}
}
