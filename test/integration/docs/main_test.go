// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package docs runs the command blocks of all pages, as their readers would, against a real control plane with both programs,
// the stand-in for Takaro, a real Redis, and a chart repository.
package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roadstead.dev/roadstead/hack/demo/outside"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// root is that of the checkout.
var root = filepath.Join("..", "..", "..")

// tools are programs that pages use besides those that the checkout builds, and that every machine has; CONTRIBUTING lists them.
var tools = []string{"bash", "curl", "git", "jq", "redis-cli"}

// scene is what the pages are run in.
var scene struct {
	host    *cluster.Cluster
	outside *outside.Outside
	// roadstead is the installation.
	roadstead *install.Installation
	charts    *chartrepo.Repository
	// path is the PATH of a reader.
	path string
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
	if err := missing(); err != nil {
		return 1, err
	}
	// The guard asks the host how many objects there are, which it counts every minute where nothing is said.
	host, err := cluster.Start(ctx, cluster.Options{KubeAPIServerArgs: []string{"--etcd-count-metric-poll-period=2s"}})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, host.Stop()) }()
	scene.host = host
	trusted, err := startCharts(host.Dir())
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, scene.charts.Close()) }()
	scene.roadstead, err = install.Install(ctx, install.Options{Cluster: host,
		ControllerArgs: []string{"--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"},
		ControllerEnv:  []string{"SSL_CERT_FILE=" + trusted}})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, scene.roadstead.Stop()) }()
	if scene.outside, err = outside.Start(ctx, host, outside.Options{Alone: true, TimeScale: 0.2}); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, scene.outside.Stop()) }()
	if err := scene.outside.ShareRedis(ctx, host); err != nil {
		return 1, err
	}
	if scene.path, err = path(ctx); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// missing tells of all tools that are not there, so that nobody installs one after the other.
func missing() error {
	var names []string
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			names = append(names, tool)
		}
	}
	if names != nil {
		return fmt.Errorf("commands of the pages use %s, which this machine has not: install them; on Debian: sudo apt-get install -y curl git jq redis-tools",
			strings.Join(names, ", "))
	}
	return nil
}

// startCharts starts the chart repository, and gives the file with its authority, which only the controller trusts.
func startCharts(dir string) (trusted string, err error) {
	serving, authority, err := privateca.New()
	if err != nil {
		return "", err
	}
	trusted = filepath.Join(dir, "charts-authority.pem")
	if err := os.WriteFile(trusted, authority, 0o600); err != nil {
		return "", err
	}
	if scene.charts, err = chartrepo.NewRepository(serving); err != nil {
		return "", err
	}
	definition, err := os.ReadFile(filepath.Join(root, "artifacts", "examples", "crd-guard", "3-safe.yaml"))
	if err != nil {
		return "", err
	}
	_, err = scene.charts.Add(chartrepo.Chart{Name: "cert-manager", Version: "v1.15.0", Files: map[string]string{"templates/crds.yaml": string(definition)}})
	return trusted, err
}

// path finds the programs of a reader: those of the checkout, kubectl of the cluster, Helm.
func path(ctx context.Context) (string, error) {
	helm, err := exec.CommandContext(ctx, filepath.Join(root, "hack", "tools", "build.sh"), "--print-dir", "helm").Output()
	if err != nil {
		return "", fmt.Errorf("where Helm is: %w", err)
	}
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return "", err
	}
	return strings.Join([]string{bin, filepath.Dir(scene.host.KubectlPath()), strings.TrimSpace(string(helm)), os.Getenv("PATH")}, string(os.PathListSeparator)), nil
}
