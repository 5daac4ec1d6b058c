// SPDX-License-Identifier: Apache-2.0

//go:build integration

package podplayer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// limit bounds each wait of these tests, which takes a few seconds at most.
const limit = 50 * time.Second

// Behaviours of the shared player's images roadstead.test/<name>.
const (
	imageWaits   = "roadstead.test/waits"   // prints its environment variable WORD and waits
	imageCrashes = "roadstead.test/crashes" // exits with 3 immediately
	imageProbed  = "roadstead.test/probed"  // not ready at first; its first run becomes unhealthy on request
	imageSays    = "roadstead.test/says"    // prints its container's name and arguments and exits
	imagePanics  = "roadstead.test/panics"
	imageDeaf    = "roadstead.test/deaf" // ignores SIGTERM until release
)

var (
	shared  *Player
	client  kubernetes.Interface
	release = make(chan struct{})
	names   atomic.Int64
	desks   sync.Map // *desk by namespace
)

// desk contains the switches of the probed container of one namespace.
type desk struct{ ready, unwell chan struct{} }

var behaviours = map[string]Behaviour{
	imageWaits: func(ctx context.Context, pod *Pod) int {
		pod.Logf("word=%s", pod.Env["WORD"])
		<-ctx.Done()
		return 0
	},
	imageCrashes: func(context.Context, *Pod) int { return 3 },
	imageProbed: func(ctx context.Context, pod *Pod) int {
		pod.SetReady(false)
		its, _ := desks.Load(pod.Namespace)
		for first := pod.Restarts == 0; ; {
			select {
			case <-its.(*desk).ready:
				pod.SetReady(true)
			case <-its.(*desk).unwell:
				pod.SetHealthy(!first)
			case <-ctx.Done():
				return 143
			}
		}
	},
	imageSays:   func(_ context.Context, pod *Pod) int { pod.Logf("%s %v", pod.Container, pod.Args); return 0 },
	imagePanics: func(context.Context, *Pod) int { panic("no more") },
	imageDeaf:   func(context.Context, *Pod) int { <-release; return 0 },
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx := context.Background()
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared, err = Start(ctx, Options{Config: c.AdminConfig(), Behaviours: behaviours, TimeScale: 0.02, Logf: func(f string,
		a ...any) {
		fmt.Printf(f+"\n", a...)
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(err, c.Stop()))
		return 1
	}
	if client, err = kubernetes.NewForConfig(c.AdminConfig()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	close(release)
	if err := errors.Join(shared.Stop(), leftGoroutines(), c.Stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// leftGoroutines returns an error with the goroutines that still run code of this package, except
// those of the tests.
func leftGoroutines() error {
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, "fakes/podplayer.(*") || strings.Contains(stack, "fakes/podplayer.protected") {
			return fmt.Errorf("a goroutine is left after Stop:\n%s", stack)
		}
	}
	return nil
}

// namespace creates a namespace for the test and waits for its ServiceAccount, without which pods
// are refused.
func namespace(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("play-%d", names.Add(1))
	_, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, "a ServiceAccount", func() bool {
		_, err := client.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
	return name
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, limit, 20*time.Millisecond, what)
}

// awaitPod waits for a condition of a pod and prints its last state if the wait fails.
func awaitPod(t *testing.T, namespace, name string, is func(corev1.PodStatus) bool) corev1.PodStatus {
	t.Helper()
	var last corev1.PodStatus
	defer func() {
		if t.Failed() {
			t.Logf("pod %s: %+v", name, last)
		}
	}()
	require.Eventually(t, func() bool {
		pod, err := client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		last = pod.Status
		return len(last.ContainerStatuses) > 0 && is(last)
	}, limit, 20*time.Millisecond)
	return last
}

func makePod(t *testing.T, namespace, name, image string, change func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}}}
	if change != nil {
		change(pod)
	}
	made, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	return made
}

// statefulSet returns a StatefulSet with one container.
func statefulSet(name string, replicas int32, c corev1.Container) *appsv1.StatefulSet {
	labels := map[string]string{"app": name}
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, ServiceName: name, Selector: &metav1.LabelSelector{MatchLabels: labels},
		PodManagementPolicy: appsv1.ParallelPodManagement,
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{c}, EnableServiceLinks: ptr.To(false),
				TerminationGracePeriodSeconds: ptr.To[int64](5)}}}}
}

func isReady(s corev1.PodStatus) bool { return conditionTrue(&s, corev1.PodReady) }

func isGone(t *testing.T, namespace, name string) bool {
	_, err := client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	return apierrors.IsNotFound(err)
}
