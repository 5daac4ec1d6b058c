// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package users tests Users as people meet them: a real control plane, both programs with the rights that are shipped,
// kubectl, and the Takaro stand-in. Above all: a password that was given appears nowhere.
package users

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// env is what all tests share.
var env struct {
	cluster   *cluster.Cluster
	roadstead *install.Installation
	admin     kubernetes.Interface
	takaro    *takaro.Server
	// auditLog is that of roadstead-apiserver, at level RequestResponse for everything.
	auditLog string
}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx := context.Background()
	env.takaro = takaro.New(takaro.Options{})
	if err := env.takaro.Start(); err != nil {
		return 1, err
	}
	defer env.takaro.Close()
	if env.cluster, err = cluster.Start(ctx, cluster.Options{AuditLevel: "Metadata"}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, env.cluster.Stop()) }()
	if env.admin, err = kubernetes.NewForConfig(env.cluster.AdminConfig()); err != nil {
		return 1, err
	}
	policy := filepath.Join(env.cluster.Dir(), "roadstead-audit.yaml")
	env.auditLog = filepath.Join(env.cluster.Dir(), "roadstead-audit.log")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n"), 0o600); err != nil {
		return 1, err
	}
	env.roadstead, err = install.Install(ctx, install.Options{
		Cluster:        env.cluster,
		APIServerArgs:  []string{"--audit-policy-file=" + policy, "--audit-log-path=" + env.auditLog, "--audit-log-mode=blocking", "--log-level=debug", "--shutdown-watch-termination-grace-period=10s"},
		ControllerArgs: []string{"--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500", "--log-level=debug"},
	})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, env.roadstead.Stop()) }()
	return m.Run(), nil
}
