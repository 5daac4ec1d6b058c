// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	sigsyaml "sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

func typed[T any](t *testing.T, all objects, name string) T {
	t.Helper()
	require.Contains(t, all, name)
	var found T
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(all[name].Object, &found, true), name)
	return found
}

// The Job needs its permissions before it starts, and a user who uninstalls must be able to read
// why it refused.
func TestTheHookOfTheUninstallation(t *testing.T) {
	all := render(t, nil)
	const job = "Job " + systemNamespace + "/roadstead-prepare-uninstall"
	weight := func(name string) int {
		annotations := all[name].GetAnnotations()
		require.Equal(t, "pre-delete", annotations["helm.sh/hook"], name)
		require.Equal(t, "before-hook-creation,hook-succeeded", annotations["helm.sh/hook-delete-policy"], name)
		of, err := strconv.Atoi(annotations["helm.sh/hook-weight"])
		require.NoError(t, err, name)
		return of
	}
	hooks := 0
	for name, object := range all {
		if !isHook(object) {
			continue
		}
		hooks++
		if name != job {
			assert.Less(t, weight(name), weight(job), name)
		}
	}
	assert.Equal(t, 6, hooks, "account, two roles, two bindings, Job")
	assert.Equal(t, "hook-failed", all[job].GetAnnotations()["helm.sh/hook-output-log-policy"])

	for flag, want := range map[string][]any{
		"uninstall.objects=Refuse":                        {"prepare-uninstall"},
		"uninstall.objects=DeleteAll":                     {"prepare-uninstall", "--delete-all"},
		"uninstall.objects=Orphan,uninstall.timeout=1h5m": {"prepare-uninstall", "--orphan", "--timeout=1h5m"},
	} {
		assert.Equal(t, want, container(render(t, set(t, flag))[job].Object)["args"], flag)
	}
	for name, object := range render(t, set(t, "uninstall.hook=false")) {
		assert.False(t, isHook(object), name)
	}
}

func TestEndpointsOfTakaro(t *testing.T) {
	all := render(t, set(t, `takaro.endpoints=[{"name": "main", "url": "https://main.example", "adminToken": "a: \"b\"\n", `+
		`"caCertificate": "-----BEGIN CERTIFICATE-----\n", "connectorUrl": "wss://connect.example"}, {"name": "test", "url": `+
		`"https://test.example/api", "adminTokenSecretRef": {"name": "y"}}]`))
	secret := typed[corev1.Secret](t, all, "Secret "+systemNamespace+"/roadstead-takaro-main")
	assert.Equal(t, "true", secret.Labels[endpoint.Label])
	assert.Equal(t, map[string]string{
		endpoint.KeyURL: "https://main.example", endpoint.KeyAdminToken: "a: \"b\"\n", endpoint.KeyCA: "-----BEGIN CERTIFICATE-----\n",
		endpoint.KeyConnectorURL: "wss://connect.example",
	}, secret.StringData)
	assert.NotContains(t, all, "Secret "+systemNamespace+"/roadstead-takaro-test", "its token is in a Secret of yours")
	assert.Subset(t, container(all[controller].Object)["env"], []any{
		values{"name": "TAKARO_API_URL", "value": "https://test.example/api"},
		values{"name": "TAKARO_API_TOKEN", "valueFrom": values{"secretKeyRef": values{"name": "y", "key": "adminToken"}}},
	})
}

// TestMemoryLimit_FollowsResources checks that the controller leaves memory for the processes that
// render charts.
func TestMemoryLimit_FollowsResources(t *testing.T) {
	for limit, want := range map[string][2]string{
		`"1Gi"`: {"921MiB", "350MiB"}, `"512Mi"`: {"460MiB", "175MiB"}, `"1.5Gi"`: {"1382MiB", "525MiB"}, `"2Gi"`: {"1843MiB", "700MiB"},
		`"2G"`: {"1716MiB", "652MiB"}, `"4Gi"`: {"3686MiB", "2748MiB"}, `"1048576Ki"`: {"921MiB", "350MiB"},
		`"1073741824"`: {"921MiB", "350MiB"}, "1073741824": {"921MiB", "350MiB"}, "null": {}, `"536870912000m"`: {},
	} {
		all := render(t, set(t, "apiserver.resources.limits.memory="+limit+",controller.resources.limits.memory="+limit))
		for i, name := range []string{server, controller} {
			env, _ := container(all[name].Object)["env"].([]any)
			if want[i] == "" {
				assert.Empty(t, env, limit)
			} else {
				assert.Equal(t, []any{values{"name": "GOMEMLIMIT", "value": want[i]}}, env, limit)
			}
		}
	}
	own := []any{values{"name": "GOMEMLIMIT", "value": "500MiB"}}
	all := render(t, values{"apiserver": values{"extraEnv": own}, "controller": values{"extraEnv": own}})
	for _, name := range []string{server, controller} {
		assert.Equal(t, own, container(all[name].Object)["env"])
	}
}

func TestNetworkPolicies(t *testing.T) {
	of := func(given values, name string) networkingv1.NetworkPolicySpec {
		return typed[networkingv1.NetworkPolicy](t, render(t, values{"networkPolicy": given}), "NetworkPolicy "+systemNamespace+"/"+name).Spec
	}
	peer := []any{values{"namespaceSelector": values{"matchLabels": values{"name": "monitoring"}}}}
	rule := []any{values{"ports": []any{values{"port": int64(443)}}}}
	for _, name := range []string{"apiserver", "controller"} {
		open := of(values{"enabled": true}, "roadstead-"+name)
		require.Len(t, open.Ingress, 1)
		assert.Empty(t, open.Ingress[0].From, "from anywhere")
		assert.Len(t, open.Ingress[0].Ports, 1, "but to one port")
		assert.Equal(t, []networkingv1.PolicyType{"Ingress"}, open.PolicyTypes, "what is called is not restricted")
		closed := of(values{"enabled": true, name: values{"from": peer, "egress": rule}}, "roadstead-"+name)
		assert.Len(t, closed.Ingress[0].From, 1)
		assert.Len(t, closed.Egress, 1)
		assert.Equal(t, []networkingv1.PolicyType{"Ingress", "Egress"}, closed.PolicyTypes)
	}
}

func TestImages(t *testing.T) {
	loaded, err := loadChart()
	require.NoError(t, err)
	version := loaded.Metadata.AppVersion
	const digest = "sha256:0123456789012345678901234567890123456789012345678901234567890123"
	for flag, want := range map[string]string{
		"image.tag=": "ghcr.io/roadstead/roadstead-controller:" + version,
		"image.registry=registry.example.com:5000/team,image.tag=v0.1.0-93023ce": "registry.example.com:5000/" +
			"team/roadstead-controller:v0.1.0-93023ce",
		"image.registry=localhost,controller.image.repository=ours,controller.image.digest=" + digest: "localhost/ours:" + version + "@" + digest,
	} {
		all := render(t, set(t, flag))
		assert.Equal(t, want, container(all[controller].Object)["image"], flag)
		assert.Equal(t, want, container(all["Job "+systemNamespace+"/roadstead-prepare-uninstall"].Object)["image"], flag)
	}
}

// With cert-manager, the CA for Prometheus is in another Secret.
func TestTheCAOfTheMetrics(t *testing.T) {
	for mode, want := range map[string]string{"SelfManaged": "roadstead-serving", "CertManager": "roadstead-apiserver-tls"} {
		monitor := render(t, set(t, "monitoring.serviceMonitor.enabled=true,certificates.mode="+mode))["ServiceMonitor "+
			systemNamespace+"/roadstead-apiserver"]
		require.NotNil(t, monitor)
		assert.Contains(t, asYAML(t, monitor.Object), "name: "+want+"\n", mode)
	}
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// The examples on the page must be usable without changes.
func TestExamplesOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "helm-chart.md"))
	require.NoError(t, err)
	examples := yamlBlock.FindAllSubmatch(page, -1)
	require.Greater(t, len(examples), 3)
	for _, example := range examples {
		given := values{}
		require.NoError(t, sigsyaml.UnmarshalStrict(example[1], &given), "%s", example[1])
		assert.Empty(t, flaws(systemNamespace, render(t, given)), "%s", example[1])
	}
}
