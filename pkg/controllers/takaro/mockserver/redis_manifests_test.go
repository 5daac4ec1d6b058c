// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// These tests compare the shipped manifests with the objects that the controller actually creates
// and reads.
const (
	root        = "../../../.."
	systemSpace = "roadstead-system"
)

// shipped reads a manifest of artifacts/deploy.
func shipped[T any](t *testing.T, file string) *T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "artifacts", "deploy", file))
	require.NoError(t, err)
	object := new(T)
	require.NoError(t, yaml.UnmarshalStrict(text, object), file)
	return object
}

func matches(t *testing.T, selector *metav1.LabelSelector, set labels.Set) bool {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	require.NoError(t, err)
	return parsed.Matches(set)
}

// admits reports whether a policy admits a pod of a namespace.
func admits(t *testing.T, policy *networkingv1.NetworkPolicy, namespace string, pod labels.Set) bool {
	t.Helper()
	for _, rule := range policy.Spec.Ingress {
		for _, peer := range rule.From {
			inside := namespace == policy.Namespace
			if peer.NamespaceSelector != nil {
				inside = matches(t, peer.NamespaceSelector, labels.Set{corev1.LabelMetadataName: namespace})
			}
			if inside && (peer.PodSelector == nil || matches(t, peer.PodSelector, pod)) {
				return true
			}
		}
	}
	return false
}

// MockServers are admitted by a policy that the controller creates.
func TestShippedNetworkPolicyAdmitsTheController(t *testing.T) {
	policy := shipped[networkingv1.NetworkPolicy](t, "redis/networkpolicy.yaml")
	redis := shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml").Spec.Template
	controller := shipped[appsv1.Deployment](t, "base/controller.yaml").Spec.Template
	apiserver := shipped[appsv1.StatefulSet](t, "base/apiserver.yaml").Spec.Template
	mock := statefulSet(deploymentOf()).Spec.Template
	require.Contains(t, mock.Labels, Label)

	assert.Equal(t, systemSpace, policy.Namespace)
	assert.True(t, matches(t, &policy.Spec.PodSelector, redis.Labels), "it is about Redis")
	assert.False(t, matches(t, &policy.Spec.PodSelector, controller.Labels))
	assert.ElementsMatch(t, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}, policy.Spec.PolicyTypes)
	for name, c := range map[string]struct {
		namespace string
		pod       map[string]string
		admitted  bool
	}{
		"a pod with the label":             {"team", mock.Labels, false},
		"one in its namespace":             {systemSpace, mock.Labels, false},
		"the controller":                   {systemSpace, controller.Labels, true},
		"who calls himself the controller": {"team", controller.Labels, false},
		"any pod":                          {"team", map[string]string{"app": "any"}, false},
		"a pod without labels":             {systemSpace, nil, false},
		"the API server":                   {systemSpace, apiserver.Labels, false},
		"Redis":                            {systemSpace, redis.Labels, false},
	} {
		assert.Equal(t, c.admitted, admits(t, policy, c.namespace, c.pod), name)
	}
	for _, rule := range policy.Spec.Ingress {
		require.Len(t, rule.Ports, 1, "not every port")
		assert.Equal(t, redis.Spec.Containers[0].Ports[0].Name, rule.Ports[0].Port.StrVal)
	}
}

func TestShippedRedisIsWhatItsSecretSays(t *testing.T) {
	service := shipped[corev1.Service](t, "redis/service.yaml")
	set := shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml")
	secret := documentedSecret(t)
	target, ok := parseRedis(secret)
	require.True(t, ok)
	assert.Equal(t, "true", secret.Labels[RedisLabel])
	assert.Equal(t, systemSpace, secret.Namespace)
	assert.Equal(t, service.Name+"."+service.Namespace+".svc", target.host)
	assert.Equal(t, service.Spec.Ports[0].Port, target.port)
	assert.Equal(t, service.Spec.Ports[0].TargetPort.StrVal, set.Spec.Template.Spec.Containers[0].Ports[0].Name)
	assert.Equal(t, target.port, set.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort)
	assert.True(t, labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(set.Spec.Template.Labels)))
	assert.True(t, matches(t, set.Spec.Selector, set.Spec.Template.Labels))
	assert.Equal(t, service.Name, set.Spec.ServiceName)
	read := map[string]string{}
	for _, variable := range set.Spec.Template.Spec.Containers[0].Env {
		require.NotNil(t, variable.ValueFrom.SecretKeyRef, variable.Name)
		assert.Equal(t, secret.Name, variable.ValueFrom.SecretKeyRef.Name)
		read[variable.Name] = variable.ValueFrom.SecretKeyRef.Key
	}
	assert.Equal(t, map[string]string{"REDIS_USERNAME": redisKeyUsername, "REDISCLI_AUTH": redisKeyPassword}, read)
	assert.Regexp(t, `^docker\.io/library/redis:\d+\.\d+\.\d+$`, set.Spec.Template.Spec.Containers[0].Image, "an exact version")
	assert.Contains(t, set.Spec.VolumeClaimTemplates[0].Spec.AccessModes, corev1.ReadWriteOnce)
}

// documentedSecret returns the Secret that docs/takaro.md instructs administrators to create for
// the shipped Redis.
func documentedSecret(t *testing.T) *corev1.Secret {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "takaro.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "kubectl create -f - <<EOF\n")
	require.True(t, found)
	text, _, found = strings.Cut(text, "\nEOF\n")
	require.True(t, found)
	secret := &corev1.Secret{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), secret))
	secret.Data = map[string][]byte{}
	for key, value := range secret.StringData { // as the API server does
		secret.Data[key] = []byte(value)
	}
	return secret
}
