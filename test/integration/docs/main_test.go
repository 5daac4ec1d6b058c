// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package docs runs the command blocks of all pages as readers would, on a real control plane with
// both programs, a simulated Takaro, a real Redis, and a chart repository.
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

// root is the root of the checkout.
var root = filepath.Join("..", "..", "..")

// tools are programs that the pages use in addition to those that the checkout builds and those on
// every machine. They are listed in CONTRIBUTING.
var tools = []string{"bash", "curl", "git", "jq", "redis-cli"}

// Environment in which the pages are run.
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
	// The guard reads the object counts of the cluster, which are updated every minute by default.
	framework.Main(m, &env, framework.WithHost(func(o *cluster.Options) {
		o.KubeAPIServerArgs = []string{"--etcd-count-metric-poll-period=2s"}
	}), framework.WithAuthority(), framework.WithBefore(startCharts), framework.WithAfter(startOutside), framework.WithoutLogCheck(),
		framework.WithController("--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"))
}

// startOutside starts the programs that the pages use outside the cluster.
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

// missing returns an error that lists all missing tools, so that they can be installed together.
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

// path returns a PATH with the programs of the checkout, the kubectl of the cluster, and Helm.
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
