// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWritesOfTheController(t *testing.T) {
	line := func(user, verb, stage, resource string, at time.Time) string {
		return fmt.Sprintf(`{"stage":%q,"verb":%q,"user":{"username":"system:serviceaccount:roadstead-system:%s"},`+
			`"objectRef":{"resource":%q},"requestReceivedTimestamp":%q}`+"\n",
			stage, verb, user, resource, at.UTC().Format("2006-01-02T15:04:05.000000Z"))
	}
	from := time.Unix(1800000000, 0)
	in, complete, us := from.Add(time.Second), "ResponseComplete", "roadstead-controller"
	log := line(us, "update", complete, "secrets", in) + line(us, "patch", complete, "users", in) +
		line(us, "patch", "RequestReceived", "users", in) + line(us, "get", complete, "users", in) + line(us, "update", complete, "leases", in) +
		line(us, "create", complete, "subjectaccessreviews", in) + line("roadstead-apiserver", "update", complete, "secrets", in) +
		line(us, "update", complete, "secrets", from.Add(-time.Second)) + line(us, "update", complete, "secrets", from.Add(time.Minute))
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, []byte(log), 0o600))
	count, err := writes(path, from, from.Add(10*time.Second))
	require.NoError(t, err)
	require.Equal(t, 2, count)
}
