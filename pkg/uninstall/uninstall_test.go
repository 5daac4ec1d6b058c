// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
)

// inOrder contains the changes to an installation without objects. Nothing else is written.
var inOrder = []string{
	"delete ValidatingWebhookConfiguration roadstead-crdguard",
	"patch Secret demo/held",
	"create ConfigMap roadstead-system/roadstead-uninstall",
	"delete APIService v1alpha1.takaro.roadstead.dev",
	"delete Deployment roadstead-system/roadstead-controller",
	"delete StatefulSet roadstead-system/roadstead-apiserver",
	"delete Lease roadstead-system/roadstead-controller",
	"delete Lease roadstead-system/roadstead-cert",
	"delete Lease roadstead-system/roadstead-embedded-store",
	"delete Lease roadstead-system/roadstead-store",
	"delete Secret roadstead-system/roadstead-serving",
	"delete ConfigMap roadstead-system/roadstead-store-identity",
	"delete Secret roadstead-system/roadstead-encryption",
	"delete Secret roadstead-system/roadstead-takaro-seed",
	"delete Secret roadstead-system/roadstead-redis",
	"delete PersistentVolumeClaim roadstead-system/data-roadstead-redis-0",
	"delete PersistentVolumeClaim roadstead-system/data-roadstead-apiserver-0",
	"delete ConfigMap roadstead-system/roadstead-uninstall",
}

func TestAnEmptyInstallationGoesInOrderAndNothingElse(t *testing.T) {
	w := newWorld(t, refuse, installed()...)
	require.NoError(t, w.run.run(t.Context()))
	assert.Equal(t, inOrder, w.writes)
	for _, other := range []client.Object{
		&admissionregistrationv1.ValidatingWebhookConfiguration{}, &appsv1.StatefulSet{}, &corev1.PersistentVolumeClaim{},
		&corev1.ConfigMap{}, &coordinationv1.Lease{},
	} {
		namespace := system
		if _, cluster := other.(*admissionregistrationv1.ValidatingWebhookConfiguration); cluster {
			namespace = ""
		}
		assert.True(t, w.has(other, namespace, "another"), "%T", other)
	}
	assert.True(t, w.has(&apiregistration.APIService{}, "", "v1alpha1.other.roadstead.dev"))
	assert.True(t, w.has(&apiregistration.APIService{}, "", "v1.metrics.example.com"))
	held := &corev1.Secret{}
	require.True(t, w.has(held, "demo", "held"))
	assert.Equal(t, []string{"example.com/own"}, held.Finalizers, "that of somebody else stays")
	assert.Contains(t, w.out.String(), "APIService v1alpha1.other.roadstead.dev does not lead to the Service "+
		"roadstead-system/roadstead-apiserver: it is left alone")

	w.writes = nil
	require.NoError(t, w.run.run(t.Context()), "once more")
	assert.Equal(t, []string{inOrder[2], inOrder[len(inOrder)-1]}, w.writes, "only the mark, which goes again")
}

// The command is stopped at each write and run again: the end state must be the same as without the
// interruption.
func TestItIsEndedAtEachStepAndRunAgain(t *testing.T) {
	for _, step := range inOrder {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t, refuse, installed()...)
			w.failAt = step
			require.ErrorContains(t, w.run.run(t.Context()), "killed at "+step)
			w.failAt = ""
			require.NoError(t, w.run.run(t.Context()))
			for _, write := range inOrder {
				assert.Contains(t, w.writes, write)
			}
			assert.NotContains(t, w.out.String(), "kept")
		})
	}
}

func domain(name string, finalizers ...string) *takarov1alpha1.Domain {
	return &takarov1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name, Finalizers: finalizers}}
}

func TestNothingIsChangedWhileThereAreObjects(t *testing.T) {
	w := newWorld(t, refuse, append(installed(), domain("arena"))...)
	var refused *refusal
	require.ErrorAs(t, w.run.run(t.Context()), &refused)
	assert.Empty(t, w.writes)
	assert.Contains(t, w.out.String(), "1 Domain in 1 namespace: demo")
	assert.Contains(t, w.out.String(), "domains.takaro.roadstead.dev demo/arena")
}

// A user who deletes only the API does not lose the stored objects.
func TestAnAPIThatWasDeletedByHand(t *testing.T) {
	w := newWorld(t, refuse, without(installed(), "v1alpha1.takaro.roadstead.dev")...)
	require.ErrorContains(t, w.run.run(t.Context()), "it is not known whether objects are stored")
	assert.Empty(t, w.writes)

	w = newWorld(t, strip, without(installed(), "v1alpha1.takaro.roadstead.dev")...)
	require.NoError(t, w.run.run(t.Context()))
	assert.True(t, w.has(&corev1.PersistentVolumeClaim{}, system, "data-roadstead-apiserver-0"))
	assert.True(t, w.has(&corev1.Secret{}, system, encryptionSecret))
	assert.True(t, w.has(&corev1.ConfigMap{}, system, markName))
	assert.Contains(t, w.writes, "patch Secret demo/held")
	assert.Contains(t, w.writes, "patch Deployment roadstead-system/roadstead-controller", "it would protect the Secret again")
	assert.Equal(t, "patch Deployment roadstead-system/roadstead-controller", w.writes[0])
}

func TestAnEtcdOutsideKeepsWhatItNeeds(t *testing.T) {
	server := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: apiServer,
		Labels: map[string]string{nameLabel: apiServer}}}
	server.Spec.Template.Spec.Containers = []corev1.Container{{Name: "apiserver", Args: []string{"--etcd-servers=$(ETCD_SERVERS)"}}}
	objects := slicesWithoutStatefulSet(without(installed(), "data-roadstead-apiserver-0"))
	w := newWorld(t, refuse, append(objects, server)...)
	require.NoError(t, w.run.run(t.Context()))
	assert.True(t, w.has(&corev1.Secret{}, system, encryptionSecret))
	assert.True(t, w.has(&corev1.ConfigMap{}, system, identityMap))
	assert.False(t, w.has(&corev1.Secret{}, system, passwordsSecret))
	assert.False(t, w.has(&corev1.Secret{}, system, servingSecret))
	assert.Contains(t, w.out.String(), "Secret roadstead-system/roadstead-encryption: kept, since a new installation that uses the "+
		"same etcd needs it")
	assert.Contains(t, w.out.String(), "/registry/roadstead.dev/")
	require.NoError(t, w.run.run(t.Context()), "once more")
	assert.True(t, w.has(&corev1.Secret{}, system, encryptionSecret))
}

func slicesWithoutStatefulSet(all []client.Object) []client.Object {
	var kept []client.Object
	for _, one := range all {
		if _, set := one.(*appsv1.StatefulSet); !set {
			kept = append(kept, one)
		}
	}
	return kept
}

func TestWhatOnlyHasOurNameIsLeftAlone(t *testing.T) {
	foreign := []client.Object{
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: controller}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: "other.example.com"}}},
	}
	w := newWorld(t, refuse, foreign...)
	require.NoError(t, w.run.run(t.Context()))
	assert.True(t, w.has(foreign[0], system, controller))
	assert.True(t, w.has(foreign[1], "", webhook))
	assert.Contains(t, w.out.String(), "it is not ours and is left alone")
	assert.Contains(t, w.out.String(), "has a webhook other.example.com, which is not ours")
}

func TestPodsThatDoNotEndStopIt(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "roadstead-apiserver-0",
		Labels: map[string]string{nameLabel: apiServer}}}
	w := newWorld(t, refuse, pod)
	err := w.run.awaitNoPods(t.Context(), w.run.timeout, apiServer)
	require.ErrorContains(t, err, "pods in roadstead-system did not end within 200ms: roadstead-apiserver-0")
	pod.Status.Phase = corev1.PodSucceeded
	require.NoError(t, newWorld(t, refuse, pod).run.awaitNoPods(t.Context(), w.run.timeout, apiServer))
}

// In a pod of the programs the command would stop itself before it is finished.
func TestItDoesNotRunInAPodOfTheInstallation(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: hostname(t), Labels: map[string]string{nameLabel: controller}}}
	w := newWorld(t, strip, append(installed(), pod)...)
	require.ErrorContains(t, w.run.run(t.Context()), "artifacts/deploy/uninstall")
	assert.Empty(t, w.writes)
}

// Objects that others created for a Redis belong to them, whether the Redis is theirs or
// Roadstead's.
func TestALoginOfRedisThatSomebodyMadeIsLeft(t *testing.T) {
	own := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: mockserver.BundledRedisSecret}}
	w := newWorld(t, refuse, append(without(installed(), mockserver.BundledRedisSecret), own)...)
	require.NoError(t, w.run.run(t.Context()))
	assert.True(t, w.has(&corev1.Secret{}, system, mockserver.BundledRedisSecret))
}
