// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// writeStatuses writes the status after each change, until ctx is done.
func (w *worker) writeStatuses(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.dirty:
			w.writeStatus(ctx)
		}
	}
}

// writeStatus updates the stored status. A conflict means that the cached pod is old: it reads the
// pod and tries again.
func (w *worker) writeStatus(ctx context.Context) {
	pods := w.player.client.CoreV1().Pods(w.namespace)
	pod := w.seen()
	for ctx.Err() == nil && pod.UID == w.uid && !w.isRemoved() {
		want := pod.DeepCopy()
		w.fill(&want.Status, pod)
		if equality.Semantic.DeepEqual(want.Status, pod.Status) {
			return
		}
		stored, err := pods.UpdateStatus(ctx, want, metav1.UpdateOptions{})
		switch {
		case err == nil:
			w.keep(stored)
			return
		case apierrors.IsNotFound(err):
			return
		case !apierrors.IsConflict(err) && ctx.Err() == nil:
			w.player.opts.Logf("podplayer: %v", fmt.Errorf("write the status of pod %s/%s: %w", w.namespace, w.name, err))
			if !sleep(ctx, w.player.retryDelay()) {
				return
			}
		}
		if fresh, err := pods.Get(ctx, w.name, metav1.GetOptions{}); err == nil {
			pod = fresh
		} else if apierrors.IsNotFound(err) {
			return
		}
	}
}

// keep stores the written pod, so that the next write does not conflict with this one.
func (w *worker) keep(stored *corev1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pod.UID == stored.UID {
		w.pod = stored
	}
}

// fill sets everything that a kubelet knows in a status and keeps what others wrote there.
func (w *worker) fill(status *corev1.PodStatus, pod *corev1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.phase == "" && (status.Phase == corev1.PodSucceeded || status.Phase == corev1.PodFailed) {
		return // it had ended before this player started
	}
	status.HostIP, status.HostIPs = nodeIP, []corev1.HostIP{{IP: nodeIP}}
	if w.mounted {
		status.PodIP, status.PodIPs = w.ip, []corev1.PodIP{{IP: w.ip}}
	}
	if status.StartTime == nil {
		status.StartTime = &w.started
	}
	status.InitContainerStatuses, status.ContainerStatuses = statusesOf(w.init), statusesOf(w.main)
	status.Phase = w.phaseNow()
	ended := w.phase != ""
	notReady, reason := unready(w.main, w.init), "ContainersNotReady"
	if ended {
		reason = "PodCompleted"
	}
	set := func(kind corev1.PodConditionType, is bool, reason, message string) {
		setCondition(status, kind, is, reason, message)
	}
	set(corev1.PodReadyToStartContainers, w.mounted && !ended, "", w.problem)
	set(corev1.PodInitialized, w.initDone, "ContainersNotInitialized", "")
	message := ""
	if len(notReady) > 0 {
		message = fmt.Sprintf("containers with unready status: %v", notReady)
	}
	set(corev1.ContainersReady, !ended && len(notReady) == 0, reason, message)
	gates := !slices.ContainsFunc(pod.Spec.ReadinessGates,
		func(g corev1.PodReadinessGate) bool { return !conditionTrue(status, g.ConditionType) })
	if len(notReady) == 0 && !gates {
		reason = "ReadinessGatesNotReady"
	}
	set(corev1.PodReady, !ended && len(notReady) == 0 && gates, reason, message)
}

// phaseNow returns Pending until every container has run once.
func (w *worker) phaseNow() corev1.PodPhase {
	if w.phase != "" {
		return w.phase
	}
	neverRan := func(c *container) bool { return c.state.Waiting != nil && c.last.Terminated == nil }
	if !w.initDone || slices.ContainsFunc(w.main, neverRan) {
		return corev1.PodPending
	}
	return corev1.PodRunning
}

func unready(main, init []*container) []string {
	var out []string
	for _, c := range slices.Concat(main, init) {
		if !c.ready && (!c.init || c.sidecar()) {
			out = append(out, c.spec.Name)
		}
	}
	return out
}

func statusesOf(containers []*container) []corev1.ContainerStatus {
	var out []corev1.ContainerStatus
	for _, c := range containers {
		started := c.started
		s := corev1.ContainerStatus{Name: c.spec.Name, Image: c.spec.Image, ImageID: c.spec.Image, State: *c.state.DeepCopy(),
			LastTerminationState: *c.last.DeepCopy(), RestartCount: int32(c.restarts), Ready: c.ready, Started: &started}
		if s.State.Waiting == nil || c.last.Terminated != nil {
			s.ContainerID = c.id()
		}
		if c.init && !c.sidecar() && s.State.Terminated != nil {
			s.Ready = s.State.Terminated.ExitCode == 0
		}
		out = append(out, s)
	}
	return out
}

// id returns the ID that a container runtime would assign to the current run.
func (c *container) id() string {
	return fmt.Sprintf("podplayer://%s/%s/%d", c.worker.uid, c.spec.Name, c.restarts)
}

func setCondition(status *corev1.PodStatus, kind corev1.PodConditionType, is bool, reason, message string) {
	want := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now()}
	if !is {
		want.Status, want.Reason, want.Message = corev1.ConditionFalse, reason, message
	}
	i := slices.IndexFunc(status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if i < 0 {
		status.Conditions = append(status.Conditions, want)
		return
	}
	have := &status.Conditions[i]
	if have.Status == want.Status {
		want.LastTransitionTime = have.LastTransitionTime
	}
	want.ObservedGeneration, want.LastProbeTime = have.ObservedGeneration, have.LastProbeTime
	*have = want
}

// now returns the current time with the precision of the API: whole seconds.
func now() metav1.Time { return metav1.Now().Rfc3339Copy() }

func conditionTrue(status *corev1.PodStatus, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == kind &&
			c.Status == corev1.ConditionTrue
	})
}
