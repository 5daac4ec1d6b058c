// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMounts(t *testing.T) {
	volumes := []corev1.Volume{
		{Name: "empty", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "certs",
			Items: []corev1.KeyToPath{{Key: "a", Path: "tls/a.crt"}}}}},
		{Name: "unused", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none"}}},
	}
	pod := &Pod{
		Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "games"}, Spec: corev1.PodSpec{Volumes: volumes}},
		spec:   &corev1.Container{VolumeMounts: []corev1.VolumeMount{{Name: "empty", MountPath: "/tmp"}, {Name: "certs", MountPath: "/certs"}}},
	}
	pod.files = resolver{source: shelf{secrets: map[string]map[string][]byte{"certs": {"a": []byte("x"), "b": []byte("y")}}}, pod: pod.Object}
	got, err := pod.Mounts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Mount{{Path: "/tmp", Volume: "empty"}, {Path: "/certs", Volume: "certs",
		Files: map[string][]byte{"tls/a.crt": []byte("x")}}}, got)

	pod.spec.VolumeMounts[0].SubPath = "below"
	_, err = pod.Mounts(t.Context())
	require.ErrorContains(t, err, "shows no folder for the subPath of volume empty")
}

func TestHostPath(t *testing.T) {
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "disk"}}
	_, err := hostPath(volume)
	require.ErrorContains(t, err, "persistent volume disk is no hostPath")
	volume.Spec.HostPath = &corev1.HostPathVolumeSource{Path: "/somewhere"}
	folder, err := hostPath(volume)
	require.NoError(t, err)
	assert.Equal(t, "/somewhere", folder)
}

func TestLogsAreFollowed(t *testing.T) {
	var b logBook
	b.lines = map[string][]string{}
	for i := range 2*keptLines + 1 {
		b.printf("key", "line %d", i)
	}
	lines, now := b.since("key", 0)
	assert.Len(t, lines, keptLines, "what is not kept any more is left out")
	assert.Equal(t, 2*keptLines+1, now)
	b.printf("key", "one\ntwo")
	lines, after := b.since("key", now)
	assert.Equal(t, []string{"one", "two"}, lines)
	lines, _ = b.since("key", after)
	assert.Empty(t, lines, fmt.Sprint("nothing new after ", after))
}
