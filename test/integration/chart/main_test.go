// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package chart installs, upgrades and uninstalls the Helm chart with the real helm binary, in
// clusters whose pods run the real programs and whose kube-apiserver reaches them through the
// Service of the chart.
package chart

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/clusternet"
	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/programs"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

const (
	root      = "../../.."
	chartPath = root + "/artifacts/chart/roadstead"
	namespace = "roadstead-system"
)

func TestMain(m *testing.M) {
	// The tests use separate clusters and mostly wait.
	framework.Main(m, new(*framework.Env), framework.WithoutCluster(), framework.WithParallel(4))
}

// host is a cluster in which a chart can be installed.
type host struct {
	*framework.Env
	t       *testing.T
	dir     string
	network *clusternet.Network
}

// newHost starts a cluster for one test. Its directory is on a disk, which the embedded etcd
// requires, and has a short path.
func newHost(t *testing.T) *host {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(cache, "roadstead"), 0o755))
	dir, err := os.MkdirTemp(filepath.Join(cache, "roadstead"), "chart-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	network, err := clusternet.New(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, network.Close()) })
	h := &host{t: t, dir: dir, network: network}
	h.Env = framework.StartFor(t, framework.WithoutInstallation(), framework.WithHost(func(o *cluster.Options) {
		o.Dir, o.KubeAPIServerArgs = filepath.Join(dir, "cluster"), network.KubeAPIServerArgs()
	}), framework.WithBefore(h.play))
	t.Cleanup(h.tell)
	return h
}

// play simulates the kubelet: the pods of the cluster run the real programs.
func (h *host) play(ctx context.Context, e *framework.Env) error {
	if err := h.network.Connect(ctx, e.Cluster.AdminConfig()); err != nil {
		return err
	}
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return err
	}
	images := programs.New(programs.Options{BinDir: bin, Dir: h.dir, KubeAPIServer: "https://" + e.Cluster.Addr(), Network: h.network,
		Logf: h.t.Logf})
	behaviours := images.Behaviours()
	maps.Copy(behaviours, mockgameserver.Behaviours(mockgameserver.Options{}))
	player, err := podplayer.Start(ctx, podplayer.Options{Config: e.Cluster.AdminConfig(), TimeScale: 0.2, Behaviours: behaviours,
		Network: h.network})
	if err == nil {
		e.AtStop(player.Stop)
		e.AtStop(images.Close)
	}
	return err
}

// tell prints the logs of the programs if a test has failed.
func (h *host) tell() {
	if !h.t.Failed() {
		return
	}
	out, _, _ := h.Cluster.Kubectl(context.Background(), "get", "pods,jobs,events,"+kinds, "-A", "-o", "wide")
	h.t.Log(out)
	logs, _ := filepath.Glob(filepath.Join(h.dir, "pods", "*", "*.log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		lines := strings.Split(string(text), "\n")
		h.t.Logf("%s ends with:\n%s", log, strings.Join(lines[max(0, len(lines)-15):], "\n"))
	}
}

// mustHelm runs helm and requires success.
func (h *host) mustHelm(args ...string) string {
	h.t.Helper()
	out, err := h.Helm(h.t, args...)
	require.NoError(h.t, err, out)
	return out
}
