// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

const (
	// httpPort is the port of the mock server's health endpoint.
	httpPort = 3002
	// indexVariable contains the pod's ordinal, which is part of the identity.
	indexVariable = "POD_INDEX"
	caFolder      = "/etc/roadstead/ca"
	// scratch is the only directory that the pod's program writes to.
	scratch = "/tmp"
	// silence is how long the mock server's connection may be idle before the mock server closes
	// it. The default of 30 s is the interval between two pings of the connector, so that a
	// slightly delayed ping ends a healthy connection. After a reconnect the mock server does not
	// identify again, and only a new pod helps. With this value, two pings may be missed.
	silence = 90 * time.Second
)

// environment returns every variable that affects the mock server. All of them are set explicitly,
// because the cluster could otherwise inject a variable for a Service.
func environment(d *deployment) []corev1.EnvVar {
	spec := &d.server.Spec
	password := corev1.EnvVar{Name: "REDIS_PASSWORD"}
	if ref := d.redis.podPassword; ref != nil {
		password.ValueFrom = secretKey(corev1.LocalObjectReference{Name: ref.Name}, ref.Key)
	}
	env := []corev1.EnvVar{
		{Name: indexVariable, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1",
			FieldPath: "metadata.labels['apps.kubernetes.io/pod-index']"}}},
		text("PORT", strconv.Itoa(httpPort)),
		text("T_WS_URL", d.connector),
		text("T_WS_HEARTBEAT_INTERVAL_MS", strconv.FormatInt(silence.Milliseconds(), 10)),
		{Name: "TAKARO_MOCK_REGISTRATION_TOKEN", ValueFrom: secretKey(d.registration, registrationKey)},
		{Name: "TAKARO_MOCK_IDENTITY_TOKEN", Value: escape(identityPrefix(d.server)) + "$(" + indexVariable + ")"},
		text("MOCK_SIM_AUTO_START", strconv.FormatBool(ptr.Deref(spec.AutoStart, true))),
		text("MOCK_TOTAL_PLAYERS", number(spec.TotalPlayers)),
		text("MOCK_POPULATION_WEEKEND_BOOST", number(spec.PopulationWeekendBoost)),
		text("MOCK_POPULATION_VARIANCE", number(spec.PopulationVariance)),
		text("REDIS_HOST", d.redis.host),
		text("REDIS_PORT", strconv.Itoa(int(d.redis.port))),
		text("REDIS_USERNAME", d.redis.podUsername),
		password,
		text("LOGGING_LEVEL", "info"),
		text("npm_config_cache", scratch+"/npm"),
	}
	for _, event := range simulatedEvents(&spec.SimulationFrequencies) {
		env = append(env,
			text("MOCK_SIM_"+event.name+"_FREQUENCY", number(event.frequency)),
			// The mock server treats a frequency of 0 as the slowest one. Only this variable
			// disables the event.
			text("MOCK_SIM_"+event.name+"_ENABLED", strconv.FormatBool(ptr.Deref(event.frequency, 0) > 0)))
	}
	if d.ca {
		env = append(env, text("NODE_EXTRA_CA_CERTS", caFolder+"/"+v1alpha1.DefaultCABundleKey))
	}
	return env
}

// simulated is a kind of simulated event with its frequency.
type simulated struct {
	name      string
	frequency *int32
}

func simulatedEvents(frequencies *v1alpha1.SimulationFrequencies) []simulated {
	return []simulated{
		{"CHAT", frequencies.Chat}, {"MOVEMENT", frequencies.Movement}, {"CONNECTION", frequencies.Connection},
		{"DEATH", frequencies.Death}, {"KILL", frequencies.Kill}, {"ITEM", frequencies.Item},
	}
}

// simulation returns the JSON that the mock server saves in Redis when it starts for the first
// time, and prefers to its environment from then on.
func simulation(spec *v1alpha1.MockServerSpec) string {
	var parts []string
	for _, event := range simulatedEvents(&spec.SimulationFrequencies) {
		parts = append(parts, fmt.Sprintf("%s=%s", strings.ToLower(event.name), number(event.frequency)))
	}
	return strings.Join(append(parts, fmt.Sprintf("autoStart=%t", ptr.Deref(spec.AutoStart, true)), playersPart+number(spec.TotalPlayers)),
		",")
}

const playersPart = "players="

// playersIn returns the number of players in a result of simulation, or 0 if it contains none.
func playersIn(spelled string) int {
	_, digits, _ := strings.Cut(spelled, playersPart)
	players, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return players
}

func number(value *int32) string { return strconv.Itoa(int(ptr.Deref(value, 0))) }

func text(name, value string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: escape(value)} }

// escape prevents the kubelet from expanding $(NAME) in text from the spec.
func escape(value string) string { return strings.ReplaceAll(value, "$", "$$") }

func secretKey(secret corev1.LocalObjectReference, key string) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: secret, Key: key}}
}

// registrationSecret returns the Secret in which pods find the token: that of the Domain or, for a
// foreign domain, that of the MockServer.
func registrationSecret(server *v1alpha1.MockServer, domain *v1alpha1.Domain) corev1.LocalObjectReference {
	if server.Spec.DomainRef != nil {
		return corev1.LocalObjectReference{Name: domain.Status.RegistrationTokenSecretRef.Name}
	}
	return corev1.LocalObjectReference{Name: secretName(server)}
}
