// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// shelf is a source in memory. All objects are in namespace games, except the Service kubernetes.
type shelf struct {
	secrets    map[string]map[string][]byte
	configMaps map[string]map[string]string
	service    corev1.Service
}

func missing(name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, name)
}

func (s shelf) secret(_ context.Context, _, name string) (map[string][]byte, error) {
	if data, found := s.secrets[name]; found {
		return data, nil
	}
	return nil, missing(name)
}

func (s shelf) configMap(_ context.Context, _, name string) (map[string]string, map[string][]byte, error) {
	if data, found := s.configMaps[name]; found {
		return data, map[string][]byte{"binary": {1}}, nil
	}
	return nil, nil, missing(name)
}

func (s shelf) services(_ context.Context, namespace string) ([]corev1.Service, error) {
	if namespace == "games" {
		return []corev1.Service{s.service}, nil
	}
	return []corev1.Service{service("kubernetes", "10.96.0.1", 443), service("other", "10.96.0.2", 1)}, nil
}

func (s shelf) claimed(_ context.Context, _, name string) (string, error) { return "", missing(name) }

func (s shelf) token(_ context.Context, pod *corev1.Pod, _ *corev1.ServiceAccountTokenProjection) (string, error) {
	return "token-of-" + pod.Spec.ServiceAccountName, nil
}

func service(name, ip string, port int32) corev1.Service {
	return corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{ClusterIP: ip,
		Ports: []corev1.ServicePort{{Name: "main", Port: port, Protocol: "TCP"}}}}
}

func theResolver() resolver {
	return resolver{
		source: shelf{
			secrets:    map[string]map[string][]byte{"s": {"password": []byte("a$(POD)b"), "dotted.key": []byte("d")}},
			configMaps: map[string]map[string]string{"c": {"host": "h", "bad=name": "x", "POD": "from-config"}},
			service:    service("redis", "10.96.0.9", 6379),
		},
		pod: &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "mock-0", Namespace: "games", UID: "u-1",
				Labels:      map[string]string{"apps.kubernetes.io/pod-index": "0", "a": "b\"c"},
				Annotations: map[string]string{"note": "n"}},
			Spec:   corev1.PodSpec{NodeName: "player-0", ServiceAccountName: "robot"},
			Status: corev1.PodStatus{PodIP: "10.245.0.1", HostIP: nodeIP},
		},
	}
}

func literal(name, value string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: value} }

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

func secretKey(name, secret, key string, optional *bool) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: key, Optional: optional}}}
}

func configKey(name, configMap, key string, optional *bool) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: configMap}, Key: key, Optional: optional}}}
}

func TestEnv(t *testing.T) {
	fromSecret := corev1.EnvFromSource{Prefix: "S_",
		SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}}}
	fromConfig := corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "c"}}}
	gone := corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "gone"},
		Optional: ptr.To(true)}}
	env, err := theResolver().env(t.Context(), &corev1.Container{EnvFrom: []corev1.EnvFromSource{fromSecret, fromConfig,
		gone}, Env: []corev1.EnvVar{
		literal("EARLY", "$(POD)/$(LATE)"), // the POD of envFrom; LATE does not exist yet
		field("POD", "metadata.name"), field("INDEX", "metadata.labels['apps.kubernetes.io/pod-index']"),
		field("NOTE", "metadata.annotations['note']"),
		field("NO_LABEL", "metadata.labels['none']"), field("IP", "status.podIP"), field("HOST_IP", "status.hostIP"),
		field("NODE", "spec.nodeName"),
		field("NS", "metadata.namespace"), field("UID", "metadata.uid"), field("SA", "spec.serviceAccountName"),
		literal("LATE", "$(host)-$(POD)-$(INDEX)-$$(POD)"), literal("HOST_OF_K8S", "$(KUBERNETES_SERVICE_HOST)"),
		secretKey("PASSWORD", "s", "password", nil), // the value of a reference is not expanded
		literal("URL", "x:$(PASSWORD)"),
		secretKey("OPTIONAL_SECRET", "gone", "x", ptr.To(true)), secretKey("OPTIONAL_KEY", "s", "x", ptr.To(true)),
		configKey("OPTIONAL_CONFIG", "c", "x", ptr.To(true)),
		configKey("HOST", "c", "host", nil),
		literal("REDIS_SERVICE_PORT", "own"), literal("NODE", "again"),
	}})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"S_password": "a$(POD)b", "S_dotted.key": "d", "host": "h",
		"EARLY": "from-config/$(LATE)", "POD": "mock-0", "INDEX": "0", "NOTE": "n", "NO_LABEL": "", "IP": "10.245.0.1",
		"HOST_IP": nodeIP, "NODE": "again",
		"NS": "games", "UID": "u-1", "SA": "robot", "LATE": "h-mock-0-0-$(POD)", "HOST_OF_K8S": "10.96.0.1", "PASSWORD": "a$(POD)b",
		"URL": "x:a$(POD)b", "HOST": "h",
		"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443", "KUBERNETES_SERVICE_PORT_MAIN": "443",
		"KUBERNETES_PORT":         "tcp://10.96.0.1:443",
		"KUBERNETES_PORT_443_TCP": "tcp://10.96.0.1:443", "KUBERNETES_PORT_443_TCP_PROTO": "tcp", "KUBERNETES_PORT_443_TCP_PORT": "443",
		"KUBERNETES_PORT_443_TCP_ADDR": "10.96.0.1",
		"REDIS_SERVICE_HOST":           "10.96.0.9", "REDIS_SERVICE_PORT": "own", "REDIS_SERVICE_PORT_MAIN": "6379",
		"REDIS_PORT":          "tcp://10.96.0.9:6379",
		"REDIS_PORT_6379_TCP": "tcp://10.96.0.9:6379", "REDIS_PORT_6379_TCP_PROTO": "tcp", "REDIS_PORT_6379_TCP_PORT": "6379",
		"REDIS_PORT_6379_TCP_ADDR": "10.96.0.9",
	}, env)

	quiet := theResolver()
	quiet.pod.Spec.EnableServiceLinks = ptr.To(false)
	env, err = quiet.env(t.Context(), &corev1.Container{})
	require.NoError(t, err)
	assert.NotContains(t, env, "REDIS_PORT")
	assert.Contains(t, env, "KUBERNETES_PORT")
}

func TestEnvNamesWhatIsMissing(t *testing.T) {
	for want, c := range map[string]corev1.Container{
		`secret "gone"`:                                 {Env: []corev1.EnvVar{secretKey("A", "gone", "k", nil)}},
		`couldn't find key k in Secret games/s`:         {Env: []corev1.EnvVar{secretKey("A", "s", "k", nil)}},
		`configmap "gone"`:                              {Env: []corev1.EnvVar{configKey("A", "gone", "k", nil)}},
		`couldn't find key binary in ConfigMap games/c`: {Env: []corev1.EnvVar{configKey("A", "c", "binary", nil)}},
		`secret "gone" of envFrom`: {EnvFrom: []corev1.EnvFromSource{{
			SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "gone"}}}}},
		`configmap "gone" of envFrom`: {EnvFrom: []corev1.EnvFromSource{{
			ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "gone"}}}}},
		`field "status.phase"`: {Env: []corev1.EnvVar{field("A", "status.phase")}},
		`resource`: {Env: []corev1.EnvVar{{Name: "A",
			ValueFrom: &corev1.EnvVarSource{ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.cpu"}}}}},
	} {
		_, err := theResolver().env(t.Context(), &c)
		if want == "resource" {
			want = "knows fieldRef, secretKeyRef and configMapKeyRef only"
		}
		assert.ErrorContains(t, err, want)
	}
}

func TestFiles(t *testing.T) {
	r := theResolver()
	r.pod.Spec.Volumes = []corev1.Volume{
		{Name: "ca", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s",
			Items: []corev1.KeyToPath{{Key: "password", Path: "tls/ca.crt"}}}}},
		{Name: "conf",
			VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "c"}}}},
		{Name: "maybe", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "gone", Optional: ptr.To(true)}}},
		{Name: "api", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "labels",
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels"}}}}}}}}},
		{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	spec := &corev1.Container{Name: "main", VolumeMounts: []corev1.VolumeMount{{Name: "ca", MountPath: "/etc/ca"},
		{Name: "conf", MountPath: "/etc"}, {Name: "maybe", MountPath: "/maybe/"},
		{Name: "api", MountPath: "/var/run"}, {Name: "scratch", MountPath: "/tmp"}, {Name: "conf", MountPath: "/one/host.txt", SubPath: "host"}}}
	p := &Pod{Namespace: "games", Name: "mock-0", files: r, spec: spec, Object: r.pod}
	require.NoError(t, r.checkVolumes(t.Context()))
	require.NoError(t, p.freeze(t.Context()))
	for name, want := range map[string]string{"/etc/ca/tls/ca.crt": "a$(POD)b", "/etc/host": "h", "/etc/binary": "\x01",
		"/var/run/token":  "token-of-robot",
		"/var/run/labels": "a=\"b\\\"c\"\napps.kubernetes.io/pod-index=\"0\"", "/one/host.txt": "h"} {
		got, err := p.File(t.Context(), name)
		require.NoError(t, err, name)
		assert.Equal(t, want, string(got), name)
	}
	for _, name := range []string{"/maybe/x", "/tmp/x", "/etc/ca/x", "/usr/x", "/etcetera/host"} {
		_, err := p.File(t.Context(), name)
		assert.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	shelf := r.source.(shelf)
	shelf.configMaps["c"]["host"] = "changed"
	for name, want := range map[string]string{"/etc/host": "changed", "/one/host.txt": "h"} {
		got, err := p.File(t.Context(), name)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "a subPath is not updated")
	}
	delete(shelf.secrets, "s")
	assert.ErrorContains(t, r.checkVolumes(t.Context()), `MountVolume.SetUp failed for volume "ca": secret "s"`)
}
