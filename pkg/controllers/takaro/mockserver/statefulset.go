// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/util/names"
)

const (
	// Label is the label with the MockServer's name on its StatefulSet and pods. The cache contains
	// only objects that have it.
	Label = "takaro.roadstead.dev/mock-server"
	// specAnnotation contains the hash of the desired spec, simulationAnnotation the result of
	// simulation, and contentsAnnotation, on pods, the hash of the Secret contents that they read
	// when they start.
	specAnnotation       = "takaro.roadstead.dev/spec-hash"
	simulationAnnotation = "takaro.roadstead.dev/simulation"
	// closedAnnotation, on pods, is when the domain was last in maintenance or disabled; see
	// closedAt.
	closedAnnotation   = "takaro.roadstead.dev/domain-closed-at"
	contentsAnnotation = "takaro.roadstead.dev/secrets-hash"

	containerName = "mock-gameserver"
	caVolume      = "ca"
	scratchVolume = "scratch"
	// nodeUser is the user "node" of the image, which would otherwise run as root.
	nodeUser = 1000
	// grace is sufficient, because the program has nothing to save.
	grace = 5
)

// deployment contains everything that the StatefulSet depends on.
type deployment struct {
	server    *v1alpha1.MockServer
	image     string
	connector string
	// registration is the Secret with the registration token.
	registration corev1.LocalObjectReference
	redis        redisTarget
	// ca is set if the MockServer's own Secret contains a CA bundle.
	ca bool
	// contents is the hash of the Secret contents that pods read when they start.
	contents string
	// closedAt is when the domain was last in maintenance or disabled, or "" if it was not since
	// the StatefulSet was created.
	closedAt string
}

func selectorOf(server *v1alpha1.MockServer) map[string]string {
	return map[string]string{Label: server.Name}
}

func labelsOf(server *v1alpha1.MockServer) map[string]string {
	return map[string]string{
		Label:                        server.Name,
		names.NameLabel:              "takaro-mock-gameserver",
		"app.kubernetes.io/instance": server.Name,
		secrets.ManagedByLabel:       secrets.ManagedByValue,
	}
}

// statefulSet is a pure function: the same deployment always results in the same StatefulSet.
func statefulSet(d *deployment) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.server.Namespace, Name: d.server.Name, Labels: labelsOf(d.server)},
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To(ptr.Deref(d.server.Spec.Replicas, 1)),
			Selector: &metav1.LabelSelector{MatchLabels: selectorOf(d.server)},
			// The game servers are independent of each other.
			PodManagementPolicy: appsv1.ParallelPodManagement,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labelsOf(d.server), Annotations: map[string]string{contentsAnnotation: d.contents}},
				Spec:       podSpec(d),
			},
		},
	}
	if d.closedAt != "" {
		set.Spec.Template.Annotations[closedAnnotation] = d.closedAt
	}
	set.Annotations = map[string]string{specAnnotation: hashOf(set.Spec.Template), simulationAnnotation: simulation(&d.server.Spec)}
	return set
}

func podSpec(d *deployment) corev1.PodSpec {
	spec := &d.server.Spec
	pod := corev1.PodSpec{
		// Otherwise a Service with the name redis would set REDIS_PORT.
		EnableServiceLinks:            ptr.To(false),
		AutomountServiceAccountToken:  ptr.To(false),
		TerminationGracePeriodSeconds: ptr.To[int64](grace),
		NodeSelector:                  spec.NodeSelector,
		Tolerations:                   spec.Tolerations,
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](nodeUser), RunAsGroup: ptr.To[int64](nodeUser), FSGroup: ptr.To[int64](nodeUser),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{container(d)},
		Volumes:    []corev1.Volume{{Name: scratchVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}
	for _, ref := range spec.ImagePullSecrets {
		pod.ImagePullSecrets = append(pod.ImagePullSecrets, corev1.LocalObjectReference{Name: ref.Name})
	}
	if d.ca {
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: caVolume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: secretName(d.server), Items: []corev1.KeyToPath{{Key: v1alpha1.DefaultCABundleKey, Path: v1alpha1.DefaultCABundleKey}},
		}}})
	}
	return pod
}

func container(d *deployment) corev1.Container {
	made := corev1.Container{
		Name:      containerName,
		Image:     d.image,
		Env:       environment(d),
		Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: httpPort}},
		Resources: d.server.Spec.Resources,
		// Do not use /readyz: its result is always the same.
		LivenessProbe:  probe(corev1.Probe{InitialDelaySeconds: 30, PeriodSeconds: 10, TimeoutSeconds: 5, FailureThreshold: 3}),
		ReadinessProbe: probe(corev1.Probe{PeriodSeconds: 2, TimeoutSeconds: 5}),
		VolumeMounts:   []corev1.VolumeMount{{Name: scratchVolume, MountPath: scratch}},
		// Only the log contains why Takaro rejected a game server.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: ptr.To(false),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	if d.ca {
		made.VolumeMounts = append(made.VolumeMounts, corev1.VolumeMount{Name: caVolume, MountPath: caFolder, ReadOnly: true})
	}
	return made
}

func probe(times corev1.Probe) *corev1.Probe {
	times.ProbeHandler = corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromString("http")}}
	return &times
}

// upToDate reports whether a stored StatefulSet is as wanted, ignoring fields that the API server
// defaults.
func upToDate(stored, wanted *appsv1.StatefulSet) bool {
	for _, key := range []string{specAnnotation, simulationAnnotation} {
		if stored.Annotations[key] != wanted.Annotations[key] {
			return false
		}
	}
	return ptr.Deref(stored.Spec.Replicas, 1) == *wanted.Spec.Replicas &&
		apiequality.Semantic.DeepDerivative(wanted.Labels, stored.Labels) &&
		apiequality.Semantic.DeepDerivative(wanted.Spec.Template, stored.Spec.Template)
}

func hashOf(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("API types have no values that JSON cannot hold: %v", err))
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])[:16]
}
