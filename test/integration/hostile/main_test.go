// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package hostile tests that a tenant who attacks the installation does not reach the others: a real control plane, both
// programs with the settings that are shipped, and neighbours whose environments must stay Ready.
package hostile

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// serving and authority are those of every stand-in.
	serving   *tls.Config
	authority []byte
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if serving, authority, err = privateca.New(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	trusted := filepath.Join(dir, "authority.pem")
	if err := os.WriteFile(trusted, authority, 0o600); err != nil {
		return 1, err
	}
	env, err = framework.Start(context.Background(), cluster.Options{}, install.Options{ControllerEnv: []string{"SSL_CERT_FILE=" + trusted}})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	return m.Run(), nil
}

// newTakaro starts a stand-in.
func newTakaro(t *testing.T) *takaro.Server {
	t.Helper()
	server := takaro.New(takaro.Options{TLS: serving})
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	return server
}

// apply applies manifests as an administrator.
func apply(t *testing.T, manifests ...string) {
	t.Helper()
	_, errs, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(strings.Join(manifests, "---\n"))).
		Run(t.Context(), "apply", "-f", "-")
	require.NoError(t, err, errs)
}
