// SPDX-License-Identifier: Apache-2.0

//go:build integration

package podplayer

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework/cluster"
)

func TestNodesAreSeparate(t *testing.T) {
	t.Parallel()
	kwok, err := client.CoreV1().Nodes().Get(t.Context(), cluster.KwokNode, metav1.GetOptions{})
	require.NoError(t, err)
	require.Contains(t, kwok.Spec.Taints, corev1.Taint{Key: KwokTaint, Effect: corev1.TaintEffectNoSchedule})
	ns := namespace(t)
	makePod(t, ns, "there", imageWaits, func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{corev1.LabelHostname: cluster.KwokNode}
		p.Spec.Tolerations = []corev1.Toleration{{Key: KwokTaint, Operator: corev1.TolerationOpExists}}
	})
	awaitPod(t, ns, "there", isReady)
	require.Empty(t, shared.Logs(ns, "there", ""), "kwok plays it, not the player")
}

func TestSecretThatComesLater(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "late", imageWaits, func(p *corev1.Pod) {
		p.Spec.Containers[0].Env = []corev1.EnvVar{secretKey("WORD", "words", "first", nil)}
		p.Spec.Volumes = []corev1.Volume{{Name: "ca",
			VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "ca"}}}}}
		p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "ca", MountPath: "/etc/ca"}}
	})
	awaitPod(t, ns, "late", func(s corev1.PodStatus) bool {
		return s.Phase == corev1.PodPending && s.ContainerStatuses[0].State.Waiting.Reason == "ContainerCreating" &&
			strings.Contains(problemOf(s), `configmap "ca"`)
	})
	_, err := client.CoreV1().ConfigMaps(ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "ca"},
		Data: map[string]string{"ca.crt": "pem"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	waitsFor := func(text string) {
		awaitPod(t, ns, "late", func(s corev1.PodStatus) bool {
			w := s.ContainerStatuses[0].State.Waiting
			return s.Phase == corev1.PodPending && w != nil && w.Reason == "CreateContainerConfigError" && strings.Contains(w.Message, text)
		})
	}
	waitsFor(`secret "words"`)
	secret, err := client.CoreV1().Secrets(ns).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "words"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	waitsFor("couldn't find key first in Secret " + ns + "/words")
	secret.StringData = map[string]string{"first": "hello"}
	_, err = client.CoreV1().Secrets(ns).Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
	status := awaitPod(t, ns, "late", isReady)
	assert.Equal(t, corev1.PodRunning, status.Phase)
	assert.Regexp(t, `^10\.245\.`, status.PodIP)
	assert.Zero(t, status.ContainerStatuses[0].RestartCount)
	eventually(t, "its log", func() bool { return len(shared.Logs(ns, "late", "main")) > 0 })
	assert.Equal(t, []string{"word=hello"}, shared.Logs(ns, "late", ""))
	pod, running := shared.Pod(ns, "late")
	require.True(t, running)
	for name, want := range map[string]string{"/etc/ca/ca.crt": "pem", "/var/run/secrets/kubernetes.io/serviceaccount/namespace": ns} {
		got, err := pod.File(t.Context(), name)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	token, err := pod.File(t.Context(), "/var/run/secrets/kubernetes.io/serviceaccount/token")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(token), "."))
}

func problemOf(s corev1.PodStatus) string {
	for _, c := range s.Conditions {
		if c.Type == corev1.PodReadyToStartContainers {
			return c.Message
		}
	}
	return ""
}

func TestCrashLoop(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "bad", imageCrashes, nil)
	status := awaitPod(t, ns, "bad", func(s corev1.PodStatus) bool {
		c := s.ContainerStatuses[0]
		return c.RestartCount >= 3 && c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff"
	})
	c := status.ContainerStatuses[0]
	require.NotNil(t, c.LastTerminationState.Terminated)
	assert.EqualValues(t, 3, c.LastTerminationState.Terminated.ExitCode)
	assert.Equal(t, "Error", c.LastTerminationState.Terminated.Reason)
	assert.Contains(t, c.State.Waiting.Message, "back-off 40s")
	assert.Equal(t, corev1.PodRunning, status.Phase)
	assert.False(t, isReady(status))
	require.NoError(t, client.CoreV1().Pods(ns).Delete(t.Context(), "bad", metav1.DeleteOptions{}))
	eventually(t, "the end", func() bool { return isGone(t, ns, "bad") })
	require.ErrorContains(t, shared.Kill(ns, "bad", 1), "no running container")
}

func TestKillAndRestartPolicies(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "again", imageWaits, nil)
	makePod(t, ns, "never", imageWaits, func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyNever })
	makePod(t, ns, "failure", imageWaits, func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure })
	for _, name := range []string{"again", "never", "failure"} {
		awaitPod(t, ns, name, isReady)
		require.NoError(t, shared.Kill(ns, name, 9))
	}
	restarted := func(s corev1.PodStatus) bool { return s.ContainerStatuses[0].RestartCount == 1 && isReady(s) }
	c := awaitPod(t, ns, "again", restarted).ContainerStatuses[0]
	assert.EqualValues(t, 9, c.LastTerminationState.Terminated.ExitCode)
	awaitPod(t, ns, "failure", restarted)
	dead := awaitPod(t, ns, "never", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodFailed })
	assert.EqualValues(t, 9, dead.ContainerStatuses[0].State.Terminated.ExitCode)
	require.NoError(t, shared.Kill(ns, "failure", 0))
	awaitPod(t, ns, "failure", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodSucceeded })
}

func TestProbes(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	its := &desk{make(chan struct{}), make(chan struct{})}
	desks.Store(ns, its)
	exec := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}
	makePod(t, ns, "probed", imageProbed, func(p *corev1.Pod) {
		p.Spec.Containers[0].ReadinessProbe = &corev1.Probe{ProbeHandler: exec, PeriodSeconds: 1}
		p.Spec.Containers[0].LivenessProbe = &corev1.Probe{ProbeHandler: exec, PeriodSeconds: 2, FailureThreshold: 2}
	})
	status := awaitPod(t, ns, "probed", func(s corev1.PodStatus) bool { return s.Phase == corev1.PodRunning })
	assert.False(t, isReady(status))
	its.ready <- struct{}{}
	awaitPod(t, ns, "probed", isReady)
	before := shared.Counts().Unwell
	its.unwell <- struct{}{}
	status = awaitPod(t, ns, "probed", func(s corev1.PodStatus) bool {
		return s.ContainerStatuses[0].RestartCount == 1 && s.ContainerStatuses[0].State.Running != nil
	})
	assert.EqualValues(t, 143, status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode)
	assert.False(t, isReady(status))
	assert.Equal(t, before+1, shared.Counts().Unwell)
	assert.Contains(t, strings.Join(shared.Logs(ns, "probed", ""), "\n"), "failed its liveness probe 2 times")
}

func TestImageWithoutBehaviour(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	labels := map[string]string{"app": "web"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
		InitContainers: []corev1.Container{{Name: "first", Image: "example.test/init"}},
		Containers: []corev1.Container{{Name: "main", Image: "example.test/web", ReadinessProbe: &corev1.Probe{InitialDelaySeconds: 3000,
			ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}}}}}
	_, err := client.AppsV1().Deployments(ns).Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](3), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template}}, metav1.CreateOptions{})
	require.NoError(t, err)
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err = client.BatchV1().Jobs(ns).Create(t.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: template.Spec}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "available", func() bool {
		d, err := client.AppsV1().Deployments(ns).Get(t.Context(), "web", metav1.GetOptions{})
		return err == nil && d.Status.AvailableReplicas == 3
	})
	eventually(t, "complete", func() bool {
		j, err := client.BatchV1().Jobs(ns).Get(t.Context(), "once", metav1.GetOptions{})
		return err == nil && j.Status.Succeeded == 1 && j.Status.CompletionTime != nil
	})
	pods, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	addresses := map[string]bool{}
	for _, p := range pods.Items {
		require.Equal(t, "player-0", p.Spec.NodeName)
		addresses[p.Status.PodIP] = true
	}
	assert.Len(t, addresses, 4, "each pod has its own address")
}

func TestGraceAndNamespaceDeletion(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	makePod(t, ns, "deaf", imageDeaf, func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1) })
	awaitPod(t, ns, "deaf", isReady)
	begin := time.Now()
	require.NoError(t, client.CoreV1().Pods(ns).Delete(t.Context(), "deaf", metav1.DeleteOptions{}))
	eventually(t, "killed after its grace period", func() bool { return isGone(t, ns, "deaf") })
	assert.GreaterOrEqual(t, time.Since(begin), time.Second)

	made, err := client.AppsV1().StatefulSets(ns).Create(t.Context(), statefulSet("set", 2, corev1.Container{Name: "main", Image: imageWaits,
		Env: []corev1.EnvVar{field("INDEX", "metadata.labels['apps.kubernetes.io/pod-index']"), literal("WORD", "set-$(INDEX)")}}),
		metav1.CreateOptions{})
	require.NoError(t, err)
	for _, name := range []string{"set-0", "set-1"} {
		awaitPod(t, ns, name, isReady)
		require.Equal(t, []string{"word=" + name}, shared.Logs(ns, name, ""))
	}
	require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		scale, err := client.AppsV1().StatefulSets(ns).GetScale(t.Context(), made.Name, metav1.GetOptions{})
		if err == nil {
			scale.Spec.Replicas = 1
			_, err = client.AppsV1().StatefulSets(ns).UpdateScale(t.Context(), made.Name, scale, metav1.UpdateOptions{})
		}
		return err
	}))
	eventually(t, "the last one ends", func() bool { return isGone(t, ns, "set-1") })
	require.NoError(t, client.CoreV1().Namespaces().Delete(t.Context(), ns, metav1.DeleteOptions{}))
	eventually(t, "all pods end", func() bool {
		_, running := shared.Pod(ns, "set-0")
		return !running && isGone(t, ns, "set-0")
	})
	eventually(t, "and the namespace with them", func() bool {
		left, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + ns})
		return err == nil && len(left.Items) == 0
	})
}
