// SPDX-License-Identifier: Apache-2.0

//go:build integration

package podplayer

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestInitContainersAndSidecars(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "ordered", imageSays, func(p *corev1.Pod) {
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		p.Spec.InitContainers = []corev1.Container{
			{Name: "beside", Image: imageWaits, RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
			{Name: "first", Image: imageSays},
		}
		p.Spec.Containers[0].Env = []corev1.EnvVar{field("ME", "metadata.name")}
		p.Spec.Containers[0].Args = []string{"$(ME)", "$$(ME)"}
	})
	status := awaitPod(t, ns, "ordered", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodSucceeded })
	assert.Equal(t, []string{"main [ordered $(ME)]"}, shared.Logs(ns, "ordered", "main"))
	assert.Equal(t, []string{"first []"}, shared.Logs(ns, "ordered", "first"))
	first, main := status.InitContainerStatuses[1].State.Terminated, status.ContainerStatuses[0].State.Terminated
	require.NotNil(t, first)
	require.NotNil(t, main)
	assert.False(t, main.StartedAt.Before(&first.FinishedAt))
	awaitPod(t, ns, "ordered", func(s corev1.PodStatus) bool { return s.InitContainerStatuses[0].State.Terminated != nil })
}

func TestFailures(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "panics", imagePanics, func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyNever })
	makePod(t, ns, "init", imageWaits, func(p *corev1.Pod) {
		p.Spec.RestartPolicy = corev1.RestartPolicyNever
		p.Spec.InitContainers = []corev1.Container{{Name: "first", Image: imageCrashes}}
	})
	makePod(t, ns, "startup", imageWaits, func(p *corev1.Pod) {
		p.Spec.Containers[0].StartupProbe = &corev1.Probe{PeriodSeconds: 1,
			ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
	})
	status := awaitPod(t, ns, "panics", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodFailed })
	assert.EqualValues(t, 2, status.ContainerStatuses[0].State.Terminated.ExitCode)
	assert.Contains(t, strings.Join(shared.Logs(ns, "panics", ""), "\n"), "panic: no more")
	status = awaitPod(t, ns, "init", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodFailed })
	assert.Equal(t, "PodInitializing", status.ContainerStatuses[0].State.Waiting.Reason)
	assert.Empty(t, shared.Logs(ns, "init", "main"))
	status = awaitPod(t, ns, "startup", isReady)
	assert.True(t, *status.ContainerStatuses[0].Started)
}

func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	lease := func() (at time.Time) {
		l, err := client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(t.Context(), "player-0", metav1.GetOptions{})
		require.NoError(t, err)
		return l.Spec.RenewTime.Time
	}
	first := lease()
	require.Eventually(t, func() bool { return lease().After(first) }, 2*renewEvery, renewEvery/20,
		"the node controller would mark the node down")
}
