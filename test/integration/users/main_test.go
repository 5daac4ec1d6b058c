// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package users tests Users with a real control plane, both programs with the shipped rights,
// kubectl, and a simulated Takaro. Above all, a given password must not appear anywhere.
package users

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// auditLog is the audit log of roadstead-apiserver, with level RequestResponse for everything.
	auditLog string
)

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithTakaro(), framework.WithBefore(writePolicy),
		framework.WithInstall(func(o *install.Options) {
			o.APIServerArgs = []string{"--audit-policy-file=" + policy(o.Cluster), "--audit-log-path=" + auditLog,
				"--audit-log-mode=blocking", "--log-level=debug", "--shutdown-watch-termination-grace-period=10s"}
		}),
		framework.WithController("--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500", "--log-level=debug"),
		framework.WithoutLogCheck(), framework.WithParallel(6), framework.WithLast("^TestNothingLeftBehindShowsAPassword$"))
}

func policy(c *cluster.Cluster) string { return filepath.Join(c.Dir(), "roadstead-audit.yaml") }

// writePolicy writes the audit policy of roadstead-apiserver.
func writePolicy(_ context.Context, e *framework.Env) error {
	auditLog = filepath.Join(e.Cluster.Dir(), "roadstead-audit.log")
	return os.WriteFile(policy(e.Cluster), []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n"), 0o600)
}
