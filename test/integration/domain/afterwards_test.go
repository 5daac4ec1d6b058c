// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// The tests of this file look at what all others left behind.

const controllerUser = "system:serviceaccount:roadstead-system:roadstead-controller"

// auditOf gives the answered requests of a user to the cluster, aggregated APIs included.
func auditOf(t *testing.T, user string, from, to time.Time) []auditv1.Event {
	t.Helper()
	file, err := os.Open(env.Cluster.AuditLog())
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var all []auditv1.Event
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), user) {
			continue
		}
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event))
		at := event.RequestReceivedTimestamp.Time
		if event.User.Username == user && event.Stage != auditv1.StageRequestReceived && event.ObjectRef != nil &&
			at.After(from) && at.Before(to) {
			all = append(all, event)
		}
	}
	require.NoError(t, lines.Err())
	return all
}

func allLogs() []string {
	return append([]string{env.Roadstead.Controller().Log(), env.Roadstead.APIServer().Log()}, controllerLogs...)
}

func TestAfterwardsNothingSecretWasTold(t *testing.T) {
	var hidden []string
	secrets.Range(func(secret, _ any) bool {
		hidden = append(hidden, secret.(string))
		return true
	})
	require.Greater(t, len(hidden), 20, "the tests before used secrets")
	texts := map[string]string{}
	for _, path := range append(allLogs(), env.Cluster.AuditLog()) {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(content)
	}
	require.Contains(t, texts[env.Roadstead.Controller().Log()], "Starting Controller")
	for _, resource := range []string{"events.events.k8s.io", "events", "domains.takaro.roadstead.dev"} {
		out, _, err := env.Cluster.Kubectl(t.Context(), "get", resource, "-A", "-o", "yaml")
		require.NoError(t, err)
		require.Contains(t, out, "kind:")
		texts[resource] = out
	}
	for where, text := range texts {
		for _, secret := range hidden {
			if strings.Contains(text, secret) {
				assert.Fail(t, "a secret was told", "in %s: …%s", where, secret[len(secret)-4:])
			}
		}
	}
	t.Logf("%d secrets looked for in %d places", len(hidden), len(texts))
}

// That none is granted in vain is seen where all kinds are used, in the suite environments.
func TestAfterwardsRightsSuffice(t *testing.T) {
	for _, path := range append([]string{env.Roadstead.Controller().Log()}, controllerLogs...) {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			// Nothing can be made in a namespace that goes, an event of its Domains neither; and what Takaro forbids is
			// no right in the cluster.
			if strings.Contains(line, "being terminated") || strings.Contains(line, "Takaro answered 403") {
				continue
			}
			if strings.Contains(strings.ToLower(line), "forbidden") {
				assert.Fail(t, "a right is missing", line)
			}
		}
	}
	for text, times := range errorsIn(t, append([]string{env.Roadstead.Controller().Log()}, controllerLogs...)) {
		t.Logf("logged as an error %d times: %s", times, text)
	}
	for _, event := range auditOf(t, controllerUser, time.Time{}, time.Now()) {
		if event.ResponseStatus != nil {
			assert.NotEqual(t, int32(401), event.ResponseStatus.Code, event.RequestURI)
		}
	}
}

// errorsIn counts the errors in logs by their texts.
func errorsIn(t *testing.T, logs []string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, path := range logs {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			var entry struct{ Msg, Err string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Err != "" {
				found[entry.Msg+": "+entry.Err[:min(len(entry.Err), 160)]]++
			}
		}
	}
	return found
}
