// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// TestARefusalLeavesTraces verifies the audit log of the cluster, the log of the server and its
// metrics.
func TestARefusalLeavesTraces(t *testing.T) {
	guarded(t)
	d := create(t)
	args := wayOut(t, refused(t, d.yaml(narrowed), "apply", "-f", "-"))
	_, value, _ := strings.Cut(args[3], "=")
	digest, _, _ := strings.Cut(value, "@")

	var annotations map[string]string
	framework.Await(t, "the host's audit log", func() error {
		text, err := os.ReadFile(env.Cluster.AuditLog())
		require.NoError(t, err)
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			var event auditv1.Event
			if json.Unmarshal(lines.Bytes(), &event) == nil && event.ObjectRef != nil && event.ObjectRef.Name == d.name() &&
				event.Annotations["crdguard.roadstead.dev/decision"] != "" {
				annotations = event.Annotations
				return nil
			}
		}
		return errNotYet
	})
	assert.Equal(t, "denied", annotations["crdguard.roadstead.dev/decision"])
	assert.Equal(t, "B!", annotations["crdguard.roadstead.dev/verdict"])
	assert.Equal(t, digest, annotations["crdguard.roadstead.dev/digest"])

	log, err := os.ReadFile(env.Roadstead.APIServer().Log())
	require.NoError(t, err)
	var entry string
	for _, line := range strings.Split(string(log), "\n") {
		if strings.Contains(line, "The CRD guard refused a request") && strings.Contains(line, d.name()) {
			entry = line
		}
	}
	assert.Contains(t, entry, `"digest":"`+digest+`"`)
	assert.Contains(t, entry, `"user":"`)

	metrics := string(server(t, "/metrics").Body)
	assert.Contains(t, metrics, `roadstead_crdguard_requests_total{decision="denied",operation="update",verdict="B!"}`)
	assert.Contains(t, metrics, `roadstead_crdguard_duration_seconds_count{operation="update"}`)
}

// server queries roadstead-apiserver directly as an administrator.
func server(t *testing.T, path string) framework.Answer {
	t.Helper()
	return framework.Do(t, direct(env.Cluster.AdminConfig()), framework.Request{Path: path})
}

// direct returns a configuration that connects to roadstead-apiserver directly instead of
// kube-apiserver.
func direct(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Host = "https://" + env.Roadstead.APIServerAddr()
	config.TLSClientConfig.Insecure, config.TLSClientConfig.CAData, config.TLSClientConfig.CAFile = true, nil, ""
	return config
}

// TestTheEndpointIsForTheHostOnly verifies that the endpoint is not in discovery and rejects
// callers without rights.
func TestTheEndpointIsForTheHostOnly(t *testing.T) {
	guarded(t)
	const path = "/apis/release.roadstead.dev/v1alpha1"
	discovery := framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: path})
	require.Equal(t, 200, discovery.Code)
	assert.NotContains(t, string(discovery.Body), "crdguard")
	review := framework.Request{Method: "POST", Path: path + "/crdguard",
		Body: `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u"}}`}
	assert.Contains(t, framework.Do(t, env.Cluster.AdminConfig(), review).Status(t, 400).Message,
		"the guard reviews only customresourcedefinitions")
	user := env.User(t, env.Namespace(t), "admin")
	framework.Do(t, user.Config, review).Status(t, 403)
	user.Config.BearerToken, user.Config.BearerTokenFile = "", ""
	framework.Do(t, user.Config, review).Status(t, 403)

	large := review
	large.Body = `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "name": "` +
		strings.Repeat("x", 4<<20) + `"}}`
	framework.Do(t, env.Cluster.AdminConfig(), large).Status(t, 400)
	large.Body = strings.Repeat(" ", 13<<20)
	framework.Do(t, env.Cluster.AdminConfig(), large).Status(t, 413)
}
