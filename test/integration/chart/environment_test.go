// SPDX-License-Identifier: Apache-2.0

//go:build integration

package chart

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	example = root + "/artifacts/examples/takaro/environment.yaml"
	// exampleNamespace is the namespace of the shipped example.
	exampleNamespace = "takaro-environment"
	kinds            = "domains.takaro.roadstead.dev,mockservers.takaro.roadstead.dev,users.takaro.roadstead.dev"
)

// environment returns the shipped example for a simulated Takaro that is stopped at the end of the
// test.
func (h *host) environment() (manifest string, server *takaro.Server) {
	h.t.Helper()
	server = takaro.New(takaro.Options{ConnectorListen: "127.0.0.1:0", ReachableInterval: 200 * time.Millisecond})
	require.NoError(h.t, server.Start())
	h.t.Cleanup(server.Close)
	text, err := os.ReadFile(example)
	require.NoError(h.t, err)
	return strings.NewReplacer("https://api.takaro.example", server.URL(), "wss://connect.takaro.example", server.ConnectorURL(),
		"replace-me", server.AdminToken()).Replace(string(text)), server
}

// applyEnvironment applies the example and waits until it is Ready.
func (h *host) applyEnvironment(manifest string) {
	h.t.Helper()
	h.Kubectl(h.t, manifest, "apply", "-f", "-")
	h.Kubectl(h.t, "", "wait", "--for=condition=Ready", kinds, "--all", "-n", exampleNamespace, "--timeout=60s")
}

// disks creates the volumes for the claims of the embedded etcd and of Redis, because test clusters
// have no provisioner.
func (h *host) disks() {
	h.t.Helper()
	for name, size := range map[string]string{"store": "8Gi", "redis": "1Gi"} {
		h.Kubectl(h.t, `apiVersion: v1
kind: PersistentVolume
metadata: {name: `+name+`}
spec:
  capacity: {storage: `+size+`}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: `+filepath.Join(h.dir, "disks", name)+`}
`, "apply", "-f", "-")
	}
}

// leadToRedis replaces the cluster DNS, which does not exist on this machine: it sets the address
// of the pod instead of the Service name in the Redis login that the controller generated.
func (h *host) leadToRedis() {
	h.t.Helper()
	h.Kubectl(h.t, "", "wait", "--for=condition=Ready", "pod/roadstead-redis-0", "-n", namespace, "--timeout=60s")
	secret, err := h.Admin.CoreV1().Secrets(namespace).Get(h.t.Context(), "roadstead-redis", metav1.GetOptions{})
	require.NoError(h.t, err)
	require.Equal(h.t, "roadstead-redis."+namespace+".svc", string(secret.Data["host"]))
	pod, err := h.Admin.CoreV1().Pods(namespace).Get(h.t.Context(), "roadstead-redis-0", metav1.GetOptions{})
	require.NoError(h.t, err)
	address, err := h.network.Address(pod.Status.PodIP)
	require.NoError(h.t, err)
	h.Kubectl(h.t, "", "patch", "secret", "roadstead-redis", "-n", namespace, "--type=merge", "-p", `{"stringData":{"host":"`+address+`"}}`)
}
