// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
)

// calm is how long nothing may be restarted once the run has settled: a few comparisons with
// Takaro.
const calm = 30 * time.Second

// judgeCalm checks for needless restarts while there are no faults and no changes.
func (r *runner) judgeCalm(ctx context.Context) {
	before, err := r.pods(ctx)
	if err == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(calm):
		}
		var after []check.Pod
		if after, err = r.pods(ctx); err == nil {
			r.world.Logf("%d pods were looked at again after %s", len(after), calm)
			r.tellAll(check.Restarted(before, after))
		}
	}
	if err != nil {
		r.tell(check.Violation{Rule: check.Restarts, Text: "the pods cannot be listed: " + err.Error()})
	}
}

// pods returns the pods in the namespaces of the run.
func (r *runner) pods(ctx context.Context) (found []check.Pod, err error) {
	all, err := r.world.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, pod := range all.Items {
		if !strings.HasPrefix(pod.Namespace, world.Prefix) {
			continue
		}
		one := check.Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)}
		for _, container := range pod.Status.ContainerStatuses {
			one.Restarts += int(container.RestartCount)
		}
		found = append(found, one)
	}
	return found, nil
}
