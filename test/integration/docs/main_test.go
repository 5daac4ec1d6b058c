// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package docs runs the command blocks of all pages, as their readers would, against a real control plane with both programs,
// the stand-in for Takaro, a real Redis, and a chart repository.
package docs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roadstead.dev/roadstead/hack/demo/outside"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// root is that of the checkout.
var root = filepath.Join("..", "..", "..")

// tools are programs that pages use besides those that the checkout builds, and that every machine has; CONTRIBUTING lists them.
var tools = []string{"bash", "curl", "git", "jq", "redis-cli"}

// scene is what the pages are run in.
var (
	env   *framework.Env
	scene struct {
		outside *outside.Outside
		charts  *chartrepo.Repository
		// path is the PATH of a reader.
		path string
	}
)

func TestMain(m *testing.M) {
	if err := missing(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// The guard asks the host how many objects there are, which it counts every minute where nothing is said.
	framework.Main(m, &env, framework.WithHost(func(o *cluster.Options) {
		o.KubeAPIServerArgs = []string{"--etcd-count-metric-poll-period=2s"}
	}), framework.WithAuthority(), framework.WithBefore(startCharts), framework.WithAfter(startOutside), framework.WithoutLogCheck(),
		framework.WithController("--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"))
}

// startOutside starts what pages use outside the cluster.
func startOutside(ctx context.Context, e *framework.Env) (err error) {
	if scene.outside, err = outside.Start(ctx, e.Cluster, outside.Options{Alone: true, TimeScale: 0.2}); err != nil {
		return err
	}
	e.AtStop(scene.outside.Stop)
	if err := scene.outside.ShareRedis(ctx, e.Cluster); err != nil {
		return err
	}
	scene.path, err = path(ctx, e)
	return err
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
		return fmt.Errorf("commands of the pages use %s, which this machine has not: install them; on Debian: sudo apt-get install -y "+
			"curl git jq redis-tools",
			strings.Join(names, ", "))
	}
	return nil
}

// startCharts starts the chart repository.
func startCharts(_ context.Context, e *framework.Env) (err error) {
	if scene.charts, err = chartrepo.NewRepository(e.Serving); err != nil {
		return err
	}
	e.AtStop(scene.charts.Close)
	definition, err := os.ReadFile(filepath.Join(root, "artifacts", "examples", "crd-guard", "3-safe.yaml"))
	if err != nil {
		return err
	}
	_, err = scene.charts.Add(chartrepo.Chart{Name: "cert-manager", Version: "v1.15.0",
		Files: map[string]string{"templates/crds.yaml": string(definition)}})
	return err
}

// path finds the programs of a reader: those of the checkout, kubectl of the cluster, Helm.
func path(ctx context.Context, e *framework.Env) (string, error) {
	helm, err := framework.HelmDir(ctx)
	if err != nil {
		return "", err
	}
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return "", err
	}
	return strings.Join([]string{bin, filepath.Dir(e.Cluster.KubectlPath()), helm, os.Getenv("PATH")},
		string(os.PathListSeparator)), nil
}
