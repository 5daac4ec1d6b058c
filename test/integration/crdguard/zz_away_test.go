// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// timeout is the timeoutSeconds of the shipped webhook configuration.
const timeout = 5 * time.Second

// quick is shorter than any change that waits for an unavailable guard.
const quick = timeout - time.Second

// passes applies a breaking change, which only the guard rejects, and returns its duration.
func passes(t *testing.T) time.Duration {
	t.Helper()
	d := create(t)
	begin := time.Now()
	kubectl(t, d.yaml(narrowed), "apply", "-f", "-")
	took := time.Since(begin)
	assert.False(t, hasColor(t, d))
	return took
}

func TestWhileTheServerIsAwayEverythingPassesAtOnce(t *testing.T) {
	guarded(t)
	require.NoError(t, env.Roadstead.APIServer().Stop())
	for range 3 {
		took := passes(t)
		t.Logf("a change took %s", took)
		assert.Less(t, took, quick, "nobody waits for a server that is not there")
	}
	require.NoError(t, env.Roadstead.APIServer().Start(t.Context()))
	awaitGuard(t)
}

// TestAServerThatHangsCostsTheTimeoutOnly verifies that a change is delayed at most by the timeout,
// and only until the aggregation layer notices the outage.
func TestAServerThatHangsCostsTheTimeoutOnly(t *testing.T) {
	guarded(t)
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = hole.Close() }()
	_, port, err := net.SplitHostPort(hole.Addr().String())
	require.NoError(t, err)
	_, own, err := net.SplitHostPort(env.Roadstead.APIServerAddr())
	require.NoError(t, err)
	// The kernel accepts connections to the hole, and no program ever responds on them.
	lead := func(port string) {
		kubectl(t, "", "patch", "service", "roadstead-apiserver", "-n", install.Namespace, "--type=merge", "-p",
			`{"spec": {"ports": [{"name": "https", "port": `+port+`}]}}`)
		kubectl(t, "", "patch", "apiservice", "v1alpha1.release.roadstead.dev", "--type=merge", "-p", `{"spec": {"service": {"port": `+port+`}}}`)
	}
	lead(port)
	slowest := time.Duration(0)
	framework.Await(t, "the aggregation layer to give the server up", func() error {
		took := passes(t)
		slowest = max(slowest, took)
		t.Logf("a change took %s", took)
		if took > quick {
			return errNotYet
		}
		reason := kubectl(t, "", "get", "apiservice", "v1alpha1.release.roadstead.dev", "-o",
			`jsonpath={.status.conditions[?(@.type=="Available")].status}`)
		if reason != "False" {
			return errNotYet
		}
		return nil
	})
	assert.Less(t, slowest, timeout+3*time.Second, "no change waits for longer than the time-out of the webhook")
	lead(own)
	awaitGuard(t)
}

func TestTheServerRestartsUnderChanges(t *testing.T) {
	guarded(t)
	for range 2 {
		require.NoError(t, env.Roadstead.APIServer().Kill())
		started := make(chan error, 1)
		go func() { started <- env.Roadstead.APIServer().Start(t.Context()) }()
		d := create(t)
		for i, done := 0, false; !done; i++ {
			kubectl(t, d.yaml(strings.Replace(sized, "{size", fmt.Sprintf("{more%d: {type: string}, size", i), 1),
				"roadstead.dev/crd-policy: Warn"), "apply", "-f", "-")
			select {
			case err := <-started:
				require.NoError(t, err)
				done = true
			default:
			}
		}
		awaitGuard(t)
	}
}

// TestTheGuardNeedsNoStore verifies that the guard still checks changes of CRDs while every request
// for objects is answered with 503, because the store does not belong to the cluster.
func TestTheGuardNeedsNoStore(t *testing.T) {
	guarded(t)
	data := filepath.Join(env.Cluster.Dir(), "roadstead", "etcd")
	away := data + "-away"
	require.NoError(t, env.Roadstead.APIServer().Stop())
	require.NoError(t, os.Rename(data, away))
	require.NoError(t, env.Roadstead.APIServer().StartRefusing(t.Context()))
	framework.Await(t, "the server to refuse its store", func() error {
		_, _, err := env.TryKubectl(t, "", "get", "domains.takaro.roadstead.dev", "-A")
		if err == nil || !strings.Contains(err.Error(), "ServiceUnavailable") {
			return errors.Join(errNotYet, err)
		}
		return nil
	})
	awaitGuard(t)
	d := create(t)
	refused(t, d.yaml(narrowed), "apply", "-f", "-")
	kubectl(t, d.yaml(extended), "apply", "-f", "-")

	require.NoError(t, env.Roadstead.APIServer().Stop())
	require.NoError(t, os.RemoveAll(data))
	require.NoError(t, os.Rename(away, data))
	require.NoError(t, env.Roadstead.APIServer().Start(t.Context()))
	awaitGuard(t)
}

// TestTheClosedGuardIsALock verifies that the guard with failurePolicy Fail reports the error,
// blocks only the changes in its scope, and can be removed.
func TestTheClosedGuardIsALock(t *testing.T) {
	guarded(t)
	applyManifests(t, "guard-closed")
	d, other := create(t), create(t)
	require.NoError(t, env.Roadstead.APIServer().Stop())
	var printed string
	framework.Await(t, "the lock", func() error {
		_, problems, err := env.TryKubectl(t, d.yaml(extended), "apply", "-f", "-")
		if printed = problems; err == nil {
			return errNotYet
		}
		return nil
	})
	t.Log(printed)
	assert.Contains(t, printed, `failed calling webhook "crdguard.roadstead.dev"`)
	assert.Contains(t, refused(t, "", "delete", "crd", d.name()), `failed calling webhook "crdguard.roadstead.dev"`)
	kubectl(t, "", "label", "crd", d.name(), "a=b")
	created := create(t)
	created.fill(t, "a")
	kubectl(t, "", "patch", "crd", other.name(), "--subresource=status", "--type=merge", "-p", `{"status": {"storedVersions": ["v1"]}}`)

	require.NoError(t, env.Roadstead.APIServer().Start(t.Context()), "the server starts without any change of a definition")
	awaitGuard(t)
	kubectl(t, d.yaml(extended), "apply", "-f", "-")

	require.NoError(t, env.Roadstead.APIServer().Stop())
	kubectl(t, "", "delete", "validatingwebhookconfiguration", "roadstead-crdguard")
	framework.Await(t, "the end of the lock", func() error {
		_, _, err := env.TryKubectl(t, other.yaml(narrowed), "apply", "-f", "-")
		return err
	})
	require.NoError(t, env.Roadstead.APIServer().Start(t.Context()))
	applyManifests(t, "guard")
}

// TestWithoutOurNamespaceTheHostGoesOn is the last test, because the deletion of the namespace
// removes the server.
func TestWithoutOurNamespaceTheHostGoesOn(t *testing.T) {
	guarded(t)
	require.NoError(t, env.Roadstead.APIServer().Stop())
	kubectl(t, "", "delete", "namespace", install.Namespace, "--wait=false")
	framework.Await(t, "the end of the Service", func() error {
		_, _, err := env.TryKubectl(t, "", "get", "service", "roadstead-apiserver", "-n", install.Namespace)
		if err == nil {
			return errNotYet
		}
		return nil
	})
	for range 3 {
		took := passes(t)
		t.Logf("a change took %s", took)
		assert.Less(t, took, quick)
	}
	d := create(t)
	d.fill(t, "a")
	kubectl(t, "", "delete", "crd", d.name())
}
