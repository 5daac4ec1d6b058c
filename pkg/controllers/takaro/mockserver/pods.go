// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// pod contains the relevant facts about a pod.
type pod struct {
	name string
	uid  types.UID
	// made is when the pod was created, started is when its program was last started.
	made, started time.Time
	// up is set if the program is running. crashed is set if its last run ended by itself, because
	// it could not register or not reach Redis. leaving is set if the pod is being deleted.
	up, crashed, leaving bool
	// nameHeld is set if Takaro rejected its game server because the name is in use.
	nameHeld bool
	// trouble is why the program is not running, as reported by the cluster.
	trouble string
}

// conflictMessage is in the log of a mock server to which Takaro responded with 409. The end of the
// log is the termination message of its container.
const conflictMessage = "ConflictError"

// podOf returns the facts about a pod.
func podOf(object *corev1.Pod) pod {
	seen := pod{name: object.Name, uid: object.UID, made: object.CreationTimestamp.Time, leaving: object.DeletionTimestamp != nil}
	for _, status := range object.Status.ContainerStatuses {
		if status.Name != containerName {
			continue
		}
		if running := status.State.Running; running != nil {
			seen.up, seen.started = true, running.StartedAt.Time
		}
		if waiting := status.State.Waiting; waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
			seen.trouble = waiting.Reason
			if waiting.Message != "" && waiting.Reason != "CrashLoopBackOff" { // its message changes with each crash
				seen.trouble += ": " + waiting.Message
			}
		}
		for _, state := range []corev1.ContainerState{status.State, status.LastTerminationState} {
			if ended := state.Terminated; ended != nil && ended.ExitCode != 0 {
				seen.crashed = true
				seen.nameHeld = seen.nameHeld || strings.Contains(ended.Message, conflictMessage)
			}
		}
	}
	for _, condition := range object.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			seen.trouble = condition.Reason + ": " + condition.Message
		}
	}
	return seen
}

// podName returns the name of the pod with an ordinal, as set by its StatefulSet.
func podName(server *v1alpha1.MockServer, ordinal int) string {
	return fmt.Sprintf("%s-%d", server.Name, ordinal)
}

// podOrdinal returns the ordinal of a pod of a StatefulSet.
func podOrdinal(set, pod string) (int, bool) {
	digits, ours := strings.CutPrefix(pod, set+"-")
	ordinal, err := strconv.Atoi(digits)
	return ordinal, ours && err == nil && ordinal >= 0
}

// observe reads the state of the cluster from the cache, and sets its numbers in the status.
func (r *reconciler) observe(ctx context.Context, a *attempt) error {
	if err := r.readPods(ctx, r.Client, a); err != nil {
		return err
	}
	status := &a.server.Status
	status.Selector = metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: selectorOf(a.server)})
	status.Replicas, status.ReadyReplicas = 0, 0
	if a.set != nil {
		status.Replicas, status.ReadyReplicas = a.set.Status.Replicas, a.set.Status.ReadyReplicas
	}
	return nil
}

// readPods sets the attempt's StatefulSet and pods. A foreign StatefulSet is ignored.
func (r *reconciler) readPods(ctx context.Context, reader client.Reader, a *attempt) error {
	set := &appsv1.StatefulSet{}
	err := reader.Get(ctx, client.ObjectKeyFromObject(a.server), set)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading StatefulSet %q: %w", a.server.Name, err)
	}
	a.set, a.pods = nil, map[int]pod{}
	if !apierrors.IsNotFound(err) && metav1.IsControlledBy(set, a.server) {
		a.set = set
	}
	list := &corev1.PodList{}
	if err := reader.List(ctx, list, client.InNamespace(a.server.Namespace), client.MatchingLabels(selectorOf(a.server))); err != nil {
		return fmt.Errorf("listing the pods: %w", err)
	}
	for i := range list.Items {
		if ordinal, ok := podOrdinal(a.server.Name, list.Items[i].Name); ok && belongs(&list.Items[i], a) {
			a.pods[ordinal] = podOf(&list.Items[i])
		}
	}
	return nil
}

// belongs reports whether a pod belongs to the attempt's StatefulSet. After the deletion of the
// StatefulSet, only the name of the pod's owner can be compared.
func belongs(object *corev1.Pod, a *attempt) bool {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != "StatefulSet" || owner.Name != a.server.Name {
		return false
	}
	return a.set == nil || owner.UID == a.set.UID
}

// deletePod deletes one pod. Its StatefulSet creates it again.
func (r *reconciler) deletePod(ctx context.Context, server *v1alpha1.MockServer, p pod) error {
	object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: server.Namespace, Name: p.name}}
	if err := r.Client.Delete(ctx, object, client.Preconditions{UID: &p.uid}); client.IgnoreNotFound(err) != nil &&
		!apierrors.IsConflict(err) {
		return fmt.Errorf("deleting pod %q: %w", p.name, err)
	}
	return nil
}
