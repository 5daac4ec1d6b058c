// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func deploymentOf(change ...func(*deployment)) *deployment {
	d := &deployment{
		server: named("one", "game"), image: "image:1", connector: "ws://connector:3004",
		registration: corev1.LocalObjectReference{Name: "arena-registration-token"},
		redis: redisTarget{host: "redis", port: 6380, podUsername: "roadstead-x",
			podPassword: &v1alpha1.SecretKeyReference{Name: "game-mock-server", Key: redisKey}},
	}
	for _, do := range change {
		do(d)
	}
	return d
}

// spelled returns the environment as strings. A value from a Secret is returned as "secret/key".
func spelled(env []corev1.EnvVar) map[string]string {
	texts := map[string]string{}
	for _, variable := range env {
		texts[variable.Name] = variable.Value
		if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
			texts[variable.Name] = from.SecretKeyRef.Name + "/" + from.SecretKeyRef.Key
		}
		if from := variable.ValueFrom; from != nil && from.FieldRef != nil {
			texts[variable.Name] = from.FieldRef.FieldPath
		}
	}
	return texts
}

func TestEnvironmentOfDefaults(t *testing.T) {
	d := deploymentOf()
	mark := markOf(d.server)
	want := map[string]string{
		"POD_INDEX": "metadata.labels['apps.kubernetes.io/pod-index']", "PORT": "3002", "T_WS_URL": "ws://connector:3004",
		"T_WS_HEARTBEAT_INTERVAL_MS":     "90000",
		"TAKARO_MOCK_REGISTRATION_TOKEN": "arena-registration-token/token", "TAKARO_MOCK_IDENTITY_TOKEN": mark + "-$(POD_INDEX)",
		"MOCK_SIM_AUTO_START": "true", "MOCK_TOTAL_PLAYERS": "10", "MOCK_POPULATION_WEEKEND_BOOST": "15", "MOCK_POPULATION_VARIANCE": "5",
		"REDIS_HOST": "redis", "REDIS_PORT": "6380", "REDIS_USERNAME": "roadstead-x", "REDIS_PASSWORD": "game-mock-server/redisPassword",
		"LOGGING_LEVEL": "info", "npm_config_cache": "/tmp/npm",
	}
	for _, event := range []string{"CHAT", "MOVEMENT", "CONNECTION", "DEATH", "KILL", "ITEM"} {
		want["MOCK_SIM_"+event+"_FREQUENCY"], want["MOCK_SIM_"+event+"_ENABLED"] = "50", "true"
	}
	assert.Equal(t, want, spelled(environment(d)))
}

func TestEnvironmentChanges(t *testing.T) {
	cases := []struct {
		name   string
		change func(*deployment)
		want   map[string]string
	}{
		{"0 switches an event off", func(d *deployment) { d.server.Spec.SimulationFrequencies.Item = ptr.To[int32](0) },
			map[string]string{"MOCK_SIM_ITEM_FREQUENCY": "0", "MOCK_SIM_ITEM_ENABLED": "false"}},
		{"100", func(d *deployment) { d.server.Spec.SimulationFrequencies.Chat = ptr.To[int32](100) },
			map[string]string{"MOCK_SIM_CHAT_FREQUENCY": "100", "MOCK_SIM_CHAT_ENABLED": "true"}},
		{"no start", func(d *deployment) { d.server.Spec.AutoStart = ptr.To(false) }, map[string]string{"MOCK_SIM_AUTO_START": "false"}},
		{"a Redis without password", func(d *deployment) { d.redis.podPassword, d.redis.podUsername = nil, "" },
			map[string]string{"REDIS_PASSWORD": "", "REDIS_USERNAME": ""}},
		{"a CA", func(d *deployment) { d.ca = true }, map[string]string{"NODE_EXTRA_CA_CERTS": "/etc/roadstead/ca/ca.crt"}},
		{"an address is not expanded", func(d *deployment) { d.connector = "ws://$(PORT)" }, map[string]string{"T_WS_URL": "ws://$$(PORT)"}},
		{"nor is a name, of a release that had it in the identity", func(d *deployment) {
			earlier(nil, d.server)
			d.server.Spec.Name = "a$(PORT)"
		}, map[string]string{"TAKARO_MOCK_IDENTITY_TOKEN": markOf(named("one", ""))[:earlierMarkLength] + "-a$$(PORT)-$(POD_INDEX)"}},
	}
	for _, c := range cases {
		got := spelled(environment(deploymentOf(c.change)))
		for name, want := range c.want {
			value, set := got[name]
			assert.True(t, set, c.name)
			assert.Equal(t, want, value, c.name)
		}
	}
}

func TestStatefulSet(t *testing.T) {
	d := deploymentOf(func(d *deployment) {
		d.ca = true
		d.server.Spec.Replicas = ptr.To[int32](3)
		d.server.Spec.ImagePullSecrets = []v1alpha1.LocalObjectReference{{Name: "pull"}}
		d.server.Spec.NodeSelector = map[string]string{"a": "b"}
		d.server.Spec.Tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}}
	})
	set := statefulSet(d)
	pod := set.Spec.Template.Spec
	assert.Equal(t, "game", set.Name)
	assert.EqualValues(t, 3, *set.Spec.Replicas)
	assert.Equal(t, map[string]string{Label: "game"}, set.Spec.Selector.MatchLabels)
	assert.Subset(t, set.Spec.Template.Labels, set.Spec.Selector.MatchLabels)
	assert.Subset(t, set.Labels, set.Spec.Selector.MatchLabels)
	assert.False(t, *pod.EnableServiceLinks)
	assert.False(t, *pod.AutomountServiceAccountToken)
	assert.True(t, *pod.SecurityContext.RunAsNonRoot)
	assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, pod.ImagePullSecrets)
	assert.Equal(t, d.server.Spec.NodeSelector, pod.NodeSelector)
	assert.Equal(t, d.server.Spec.Tolerations, pod.Tolerations)
	require.Len(t, pod.Containers, 1)
	made := pod.Containers[0]
	assert.Equal(t, "/healthz", made.LivenessProbe.HTTPGet.Path)
	assert.Equal(t, "http", made.LivenessProbe.HTTPGet.Port.StrVal)
	assert.EqualValues(t, 3002, made.Ports[0].ContainerPort)
	assert.False(t, *made.SecurityContext.AllowPrivilegeEscalation)
	assert.Equal(t, []corev1.Capability{"ALL"}, made.SecurityContext.Capabilities.Drop)
	assert.Equal(t, "game-mock-server", pod.Volumes[1].Secret.SecretName)
	assert.Equal(t, "/etc/roadstead/ca", made.VolumeMounts[1].MountPath)
	assert.Len(t, statefulSet(deploymentOf()).Spec.Template.Spec.Volumes, 1, "no CA, no volume")
}

func TestUpToDate(t *testing.T) {
	wanted := statefulSet(deploymentOf())
	stored := wanted.DeepCopy()
	stored.Spec.Template.Spec.DNSPolicy = corev1.DNSClusterFirst // defaulted by the API server
	stored.Spec.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullIfNotPresent
	assert.True(t, upToDate(stored, wanted))
	for name, change := range map[string]func(*deployment){
		"image":    func(d *deployment) { d.image = "image:2" },
		"replicas": func(d *deployment) { d.server.Spec.Replicas = ptr.To[int32](2) },
		"events":   func(d *deployment) { d.server.Spec.SimulationFrequencies.Kill = ptr.To[int32](1) },
		"contents": func(d *deployment) { d.contents = "other" },
		"selector": func(d *deployment) { d.server.Spec.NodeSelector = map[string]string{"a": "b"} },
	} {
		assert.False(t, upToDate(stored, statefulSet(deploymentOf(change))), name)
	}
	edited := stored.DeepCopy()
	edited.Spec.Template.Spec.Containers[0].Image = "somebody's"
	assert.False(t, upToDate(edited, wanted), "an edit by somebody else")
}

func TestSimulation(t *testing.T) {
	spec := named("one", "game").Spec
	assert.Equal(t, "chat=50,movement=50,connection=50,death=50,kill=50,item=50,autoStart=true,players=10", simulation(&spec))
	assert.Equal(t, 10, playersIn(simulation(&spec)))
	assert.Zero(t, playersIn(""))
	spec.PopulationVariance = ptr.To[int32](77) // read from the environment at each start
	assert.NotContains(t, simulation(&spec), "77")
}
