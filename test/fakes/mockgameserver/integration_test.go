// SPDX-License-Identifier: Apache-2.0

//go:build integration

package mockgameserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// TestStatefulSetOfGameServers runs two replicas with the name of the real image in a real cluster.
// Each of them registers by its ordinal. A replica that lost its connection stays healthy and
// unreachable until its pod is replaced. A scale-down ends the last one.
func TestStatefulSetOfGameServers(t *testing.T) {
	s := newStage(t)
	c, err := cluster.Start(t.Context(), cluster.Options{Logf: t.Logf})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	play := podplayer.Options{Config: c.AdminConfig(), TimeScale: 0.02, Logf: t.Logf, Behaviours: Behaviours(Options{TimeScale: 0.01})}
	player, err := podplayer.Start(t.Context(), play)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, player.Stop()) })
	client, err := kubernetes.NewForConfig(c.AdminConfig())
	require.NoError(t, err)
	pods, sets := client.CoreV1().Pods("default"), client.AppsV1().StatefulSets("default")

	_, err = client.CoreV1().Secrets("default").Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "mock"},
		StringData: map[string]string{"registration": s.domain.RegistrationToken, "redis": s.redis.Password}}, metav1.CreateOptions{})
	require.NoError(t, err)
	begin := time.Now()
	_, err = sets.Create(t.Context(), s.statefulSet(), metav1.CreateOptions{})
	require.NoError(t, err)
	reachable := func(want ...string) func() bool {
		want = append([]string{}, want...) // an empty slice, not nil
		return func() bool {
			d, _ := s.takaro.Domain(s.domain.ID)
			got := []string{}
			for _, g := range d.GameServers {
				if g.Reachable && g.Connected {
					got = append(got, g.IdentityToken)
				}
			}
			return assert.ObjectsAreEqual(want, got)
		}
	}
	s.eventually("both register", reachable("game-0", "game-1"))
	t.Logf("registered after %d ms", time.Since(begin).Milliseconds())
	isReady := func() bool {
		set, err := sets.Get(t.Context(), "game", metav1.GetOptions{})
		return err == nil && set.Status.ReadyReplicas == 2
	}
	s.eventually("both are ready by their probes", isReady)

	require.Equal(t, 1, s.takaro.DropConnections("game-0"))
	s.eventually("only the other is reachable", reachable("game-1"))
	old, err := pods.Get(t.Context(), "game-0", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.PodRunning, old.Status.Phase)
	require.Zero(t, old.Status.ContainerStatuses[0].RestartCount, "its liveness probe sees nothing")
	require.NoError(t, pods.Delete(t.Context(), "game-0", metav1.DeleteOptions{}))
	s.eventually("the new pod registers", reachable("game-0", "game-1"))

	_, err = sets.Patch(t.Context(), "game", types.MergePatchType, []byte(`{"spec":{"replicas":1}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	s.eventually("one is left", reachable("game-0"))
	s.eventually("its pod is gone", func() bool {
		_, err := pods.Get(t.Context(), "game-1", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	require.Equal(t, map[string]int{"game-0": 2, "game-1": 1}, s.takaro.ConnectorCounts().Identified)
	d, _ := s.takaro.Domain(s.domain.ID)
	require.Len(t, d.GameServers, 2, "the record stays")

	require.NoError(t, player.Stop())
	s.eventually("the node is off", reachable())
	player, err = podplayer.Start(t.Context(), play)
	require.NoError(t, err)
	s.eventually("another player runs the pod again", reachable("game-0"))
	s.eventually("its status says so", func() bool {
		again, err := pods.Get(t.Context(), "game-0", metav1.GetOptions{})
		return err == nil && again.Status.ContainerStatuses[0].RestartCount == 1 &&
			again.Status.ContainerStatuses[0].LastTerminationState.Terminated.ExitCode == 255
	})
}

func (s *stage) statefulSet() *appsv1.StatefulSet {
	labels := map[string]string{"app": "game"}
	secret := func(name, key string) corev1.EnvVar {
		return corev1.EnvVar{Name: name,
			ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "mock"},
				Key: key}}}
	}
	probe := &corev1.Probe{PeriodSeconds: 5, ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz",
		Port: intstr.FromString("http")}}}
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "game"}, Spec: appsv1.StatefulSetSpec{
		Replicas: ptr.To[int32](2), ServiceName: "game", Selector: &metav1.LabelSelector{MatchLabels: labels},
		PodManagementPolicy: appsv1.ParallelPodManagement,
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{EnableServiceLinks: ptr.To(false),
			Containers: []corev1.Container{{Name: "mock", Image: RealImage, Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 3002}},
				ReadinessProbe: probe, LivenessProbe: probe, Env: []corev1.EnvVar{
					{Name: "POD_INDEX",
						ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['apps.kubernetes.io/pod-index']"}}},
					{Name: "TAKARO_MOCK_IDENTITY_TOKEN", Value: "game-$(POD_INDEX)"}, secret("TAKARO_MOCK_REGISTRATION_TOKEN", "registration"),
					{Name: "T_WS_URL", Value: s.takaro.ConnectorURL()}, {Name: "REDIS_HOST", Value: s.redis.Host},
					{Name: "REDIS_PORT", Value: s.redis.Addr()[len(s.redis.Host)+1:]}, secret("REDIS_PASSWORD", "redis"),
				}}}}}}}
}
