// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A kubelet retries missing objects about every second. With a small TimeScale the lower bound
// prevents a hot loop.
const (
	retryEvery = time.Second
	leastRetry = 50 * time.Millisecond
)

func (p *Player) retryDelay() time.Duration { return max(p.opts.scaled(retryEvery), leastRetry) }

// worker plays one pod from its binding to its deletion.
type worker struct {
	player          *Player
	namespace, name string
	uid             types.UID
	ip              string
	ctx             context.Context // done when the pod must end or the player stops
	end             context.CancelFunc
	dirty           chan struct{} // signals that the status must be written

	mu       sync.Mutex
	pod      *corev1.Pod // as last seen
	removed  bool        // the object no longer exists
	started  metav1.Time
	mounted  bool
	problem  string // why the volumes are not mounted
	initDone bool
	phase    corev1.PodPhase // set once all containers have ended permanently
	init     []*container
	main     []*container
}

func (p *Player) newWorker(pod *corev1.Pod) *worker {
	n := p.nextIP.Add(1)
	w := &worker{player: p, namespace: pod.Namespace, name: pod.Name, uid: pod.UID, pod: pod, started: now(), dirty: make(chan struct{}, 1),
		ip: netip.AddrFrom4([4]byte{10, 245, byte(n >> 8), byte(n)}).String()}
	w.ctx, w.end = context.WithCancel(p.ctx)
	w.initDone = conditionTrue(&pod.Status, corev1.PodInitialized) // by an earlier player
	for i := range pod.Spec.InitContainers {
		w.init = append(w.init, newContainer(w, &pod.Spec.InitContainers[i], true))
	}
	for i := range pod.Spec.Containers {
		w.main = append(w.main, newContainer(w, &pod.Spec.Containers[i], false))
	}
	return w
}

// observe stores the state of the pod and ends it if it is being deleted.
func (w *worker) observe(pod *corev1.Pod) {
	w.mu.Lock()
	w.pod = pod
	w.mu.Unlock()
	if pod.DeletionTimestamp != nil {
		w.end()
	}
}

func (w *worker) gone() {
	w.mu.Lock()
	w.removed = true
	w.mu.Unlock()
	w.end()
}

// run plays the pod. It returns when the pod no longer exists or the player stops.
func (w *worker) run() {
	defer w.end()
	written := make(chan struct{})
	writing, stopWriting := context.WithCancel(w.player.ctx)
	go func() {
		defer close(written)
		w.writeStatuses(writing)
	}()
	if phase := w.seen().Status.Phase; phase != corev1.PodSucceeded && phase != corev1.PodFailed {
		w.play()
	}
	<-w.ctx.Done()
	stopWriting()
	<-written
	w.remove()
}

// play mounts the volumes, runs the init containers in order, then the others, and records the
// result.
func (w *worker) play() {
	w.touch()
	if !w.mount() {
		return
	}
	sidecars, stopSidecars := context.WithCancel(w.ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stopSidecars()
	for _, c := range w.init {
		if c.sidecar() {
			running.Go(func() { c.play(sidecars) })
			if !c.awaitStarted(w.ctx) {
				return
			}
			continue
		}
		if exit, ended := c.play(w.ctx); !ended || exit != 0 {
			if ended {
				w.finish(corev1.PodFailed)
			}
			return
		}
	}
	w.change(func() { w.initDone = true })
	failed := make(chan bool, len(w.main))
	var mains sync.WaitGroup
	for _, c := range w.main {
		mains.Go(func() {
			exit, _ := c.play(w.ctx)
			failed <- exit != 0
		})
	}
	mains.Wait()
	phase := corev1.PodSucceeded
	for range w.main {
		if <-failed {
			phase = corev1.PodFailed
		}
	}
	w.finish(phase)
}

func (w *worker) finish(phase corev1.PodPhase) { w.change(func() { w.phase = phase }) }

// mount waits until all objects that volumes need exist. It returns false if the pod ends first.
func (w *worker) mount() bool {
	for {
		err := w.resolver().checkVolumes(w.ctx)
		if w.ctx.Err() != nil {
			return false
		}
		w.change(func() {
			w.mounted, w.problem = err == nil, ""
			if err != nil {
				w.problem = err.Error()
			}
		})
		if err == nil {
			return true
		}
		if !sleep(w.ctx, w.player.retryDelay()) {
			return false
		}
	}
}

// resolver returns a resolver with the pod's addresses, which its stored status may not contain
// yet.
func (w *worker) resolver() resolver {
	pod := w.seen().DeepCopy()
	pod.Status.PodIP, pod.Status.HostIP = w.ip, nodeIP
	return resolver{source: w.player.source, pod: pod}
}

func (w *worker) seen() *corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pod
}

// grace returns the current grace period of the containers.
func (w *worker) grace() time.Duration {
	pod := w.seen()
	for _, seconds := range []*int64{pod.DeletionGracePeriodSeconds, pod.Spec.TerminationGracePeriodSeconds} {
		if seconds != nil {
			return time.Duration(*seconds) * time.Second
		}
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

// change modifies the data of the status and schedules a write of it.
func (w *worker) change(f func()) {
	w.mu.Lock()
	f()
	w.mu.Unlock()
	w.touch()
}

func (w *worker) touch() {
	select {
	case w.dirty <- struct{}{}:
	default: // a write is already due
	}
}

// remove writes the last status and deletes the object. If the player stops, it keeps the pod for
// the next player.
func (w *worker) remove() {
	if w.player.ctx.Err() != nil || w.isRemoved() {
		return
	}
	for {
		w.writeStatus(w.player.ctx)
		var atOnce int64
		err := w.player.client.CoreV1().Pods(w.namespace).Delete(w.player.ctx, w.name,
			metav1.DeleteOptions{GracePeriodSeconds: &atOnce, Preconditions: &metav1.Preconditions{UID: &w.uid}})
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			w.player.counts.ended.Add(1)
			return
		}
		w.player.opts.Logf("podplayer: %v", fmt.Errorf("remove pod %s/%s: %w", w.namespace, w.name, err))
		if !sleep(w.player.ctx, w.player.retryDelay()) {
			return
		}
	}
}

func (w *worker) isRemoved() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.removed
}
