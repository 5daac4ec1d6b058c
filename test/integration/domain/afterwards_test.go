// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
)

// The tests of this file check the results of all other tests.

const controllerUser = "system:serviceaccount:roadstead-system:roadstead-controller"

// auditOf returns the completed requests of a user to a cluster, including those to aggregated
// APIs.
func auditOf(t *testing.T, e *framework.Env, user string, from, to time.Time) []auditv1.Event {
	t.Helper()
	file, err := os.Open(e.Cluster.AuditLog())
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

// environments returns the environment of most tests and that of TestRestarts.
func environments() []*framework.Env {
	return slices.DeleteFunc([]*framework.Env{env, restarted}, func(e *framework.Env) bool { return e == nil })
}

// allControllerLogs returns the paths of the logs of all controllers in all environments.
func allControllerLogs() []string {
	logs := slices.Clone(controllerLogs)
	for _, e := range environments() {
		logs = append(logs, e.Roadstead.Controller().Log())
	}
	return logs
}

func TestAfterwardsNothingSecretWasTold(t *testing.T) {
	var hidden []string
	secrets.Range(func(secret, _ any) bool {
		hidden = append(hidden, secret.(string))
		return true
	})
	require.Greater(t, len(hidden), 20, "the tests before used secrets")
	require.Equal(t, hidden[:1], secretsIn("before "+hidden[0]+" after", hidden), "the search finds a secret")
	texts := map[string]string{}
	paths := allControllerLogs()
	for _, e := range environments() {
		paths = append(paths, e.Roadstead.APIServer().Log(), e.Cluster.AuditLog())
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(content)
	}
	require.Contains(t, texts[env.Roadstead.Controller().Log()], "Starting Controller")
	for _, resource := range []string{"events.events.k8s.io", "events", "domains.takaro.roadstead.dev"} {
		for _, e := range environments() {
			out := e.Kubectl(t, "", "get", resource, "-A", "-o", "yaml")
			require.Contains(t, out, "kind:")
			texts[resource+" of "+e.Cluster.Addr()] = out
		}
	}
	for where, text := range texts {
		for _, secret := range secretsIn(text, hidden) {
			assert.Fail(t, "a secret was told", "in %s: …%s", where, secret[len(secret)-4:])
		}
	}
	t.Logf("%d secrets looked for in %d places", len(hidden), len(texts))
}

// secretsIn returns the secrets that a text contains. The text is read once, because the logs are
// large and there are hundreds of secrets.
func secretsIn(text string, secrets []string) (found []string) {
	const length = 8
	byPrefix := map[string][]string{}
	for _, secret := range secrets {
		byPrefix[secret[:length]] = append(byPrefix[secret[:length]], secret)
	}
	for i := range max(0, len(text)-length+1) {
		for _, secret := range byPrefix[text[i:i+length]] {
			if strings.HasPrefix(text[i:], secret) && !slices.Contains(found, secret) {
				found = append(found, secret)
			}
		}
	}
	return found
}

// TestAfterwardsRightsSuffice verifies that no right is missing. The test suite environments, which
// uses all kinds, verifies that no right is unused.
func TestAfterwardsRightsSuffice(t *testing.T) {
	for _, path := range allControllerLogs() {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			// Nothing can be created in a terminating namespace, including events of its Domains. A
			// 403 from Takaro is not a missing right in the cluster.
			if strings.Contains(line, "being terminated") || strings.Contains(line, "Takaro returned 403") {
				continue
			}
			if strings.Contains(strings.ToLower(line), "forbidden") {
				assert.Fail(t, "a right is missing", line)
			}
		}
	}
	for text, times := range errorsIn(t, allControllerLogs()) {
		t.Logf("logged as an error %d times: %s", times, text)
	}
	for _, e := range environments() {
		for _, event := range auditOf(t, e, controllerUser, time.Time{}, time.Now()) {
			if event.ResponseStatus != nil {
				assert.NotEqual(t, int32(401), event.ResponseStatus.Code, event.RequestURI)
			}
		}
	}
}

// errorsIn counts the errors in logs by message.
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
