// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPathsLeadToVolumes(t *testing.T) {
	b := box{address: "127.99.0.1", namespace: "here", dir: "/pod", mounts: []mount{{"/etc/roadstead/audit",
		"/v/audit"}, {"/data", "/v/data"}}}
	assert.Equal(t, []string{"serve", "--data-dir=/v/data/etcd", "--policy=/v/audit/policy.yaml", "--path=-",
		"--database=/database/x", "/v/data"},
		b.args([]string{"serve", "--data-dir=/data/etcd", "--policy=/etc/roadstead/audit/policy.yaml", "--path=-",
			"--database=/database/x", "/data"}))
	env := b.env(map[string]string{"CERTS": "/etc/roadstead/audit/ca.crt", "ROADSTEAD_NAMESPACE": "there"})
	assert.Equal(t, "/v/audit/ca.crt", env["CERTS"])
	assert.Equal(t, "there", env["ROADSTEAD_NAMESPACE"], "what the manifests say wins")
	assert.Equal(t, "127.99.0.1:8080", env["ROADSTEAD_METRICS_BIND_ADDRESS"])
	assert.Equal(t, "cat /v/audit/policy.yaml > /v/data/x", b.text("cat /etc/roadstead/audit/policy.yaml > /data/x"))
}

func TestLinesAreHandedOnWhole(t *testing.T) {
	var from bytes.Buffer
	var got []string
	printf := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
	l := newLines(&from)
	from.WriteString("one\ntw")
	l.hand(printf, false)
	assert.Equal(t, []string{"one"}, got)
	from.WriteString("o\n100 %d\nend")
	l.hand(printf, false)
	assert.Equal(t, []string{"one", "two", "100 %d"}, got)
	l.hand(printf, true)
	assert.Equal(t, []string{"one", "two", "100 %d", "end"}, got)
}

func TestExitCodes(t *testing.T) {
	assert.Equal(t, 0, exitCode(nil))
	assert.Equal(t, 3, exitCode(exec.Command("sh", "-c", "exit 3").Run()))
	assert.Equal(t, 137, exitCode(exec.Command("sh", "-c", "kill -9 $$").Run()))
}
