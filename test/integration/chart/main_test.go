// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package chart installs the Helm chart with the real helm, upgrades and uninstalls it, in clusters whose pods run the real
// programs and whose kube-apiserver reaches them through the Service that the chart makes.
package chart

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/fakes/clusternet"
	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/programs"
	"roadstead.dev/roadstead/test/framework/cluster"
)

const (
	root      = "../../.."
	chartPath = root + "/artifacts/chart/roadstead"
	namespace = "roadstead-system"
)

// helmPath is the built Helm.
var helmPath string

func TestMain(m *testing.M) {
	// The tests have clusters of their own, and mostly wait.
	flag.Parse()
	folder, err := exec.Command(filepath.Join(root, "hack", "tools", "build.sh"), "--print-dir", "helm").Output()
	if err == nil {
		err = flag.Set("test.parallel", "4")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	helmPath = filepath.Join(strings.TrimSpace(string(folder)), "helm")
	os.Exit(m.Run())
}

// host is a cluster in which a chart can be installed.
type host struct {
	t       *testing.T
	dir     string
	c       *cluster.Cluster
	network *clusternet.Network
	admin   kubernetes.Interface
}

// newHost starts a cluster for one test. Its folder is on a disk, which the embedded etcd insists on, and has a short name.
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
	c, err := cluster.Start(context.Background(), cluster.Options{Dir: filepath.Join(dir, "cluster"),
		KubeAPIServerArgs: network.KubeAPIServerArgs()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	require.NoError(t, network.Connect(t.Context(), c.AdminConfig()))

	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	require.NoError(t, err)
	images := programs.New(programs.Options{BinDir: bin, Dir: dir, KubeAPIServer: "https://" + c.Addr(), Network: network, Logf: t.Logf})
	behaviours := images.Behaviours()
	for image, behaviour := range mockgameserver.Behaviours(mockgameserver.Options{}) {
		behaviours[image] = behaviour
	}
	player, err := podplayer.Start(context.Background(), podplayer.Options{Config: c.AdminConfig(), TimeScale: 0.2,
		Behaviours: behaviours, Network: network})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, images.Close())
		require.NoError(t, player.Stop())
	})
	admin, err := kubernetes.NewForConfig(c.AdminConfig())
	require.NoError(t, err)
	h := &host{t: t, dir: dir, c: c, network: network, admin: admin}
	t.Cleanup(h.tell)
	return h
}

// tell prints what the programs said when a test has failed.
func (h *host) tell() {
	if !h.t.Failed() {
		return
	}
	out, _, _ := h.c.Kubectl(context.Background(), "get", "pods,jobs,events,"+kinds, "-A", "-o", "wide")
	h.t.Log(out)
	logs, _ := filepath.Glob(filepath.Join(h.dir, "pods", "*", "*.log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		lines := strings.Split(string(text), "\n")
		h.t.Logf("%s ends with:\n%s", log, strings.Join(lines[max(0, len(lines)-15):], "\n"))
	}
}

// kubectl runs it as the administrator; it must succeed.
func (h *host) kubectl(stdin string, args ...string) string {
	h.t.Helper()
	out, _, err := h.c.KubectlAs(h.c.Kubeconfig()).WithStdin(strings.NewReader(stdin)).Run(h.t.Context(), args...)
	require.NoError(h.t, err)
	return out
}

// helm runs it as the administrator and gives all that it prints.
func (h *host) helm(args ...string) (string, error) {
	h.t.Helper()
	command := exec.CommandContext(h.t.Context(), helmPath, args...)
	command.Env = []string{"KUBECONFIG=" + h.c.Kubeconfig(), "HOME=" + h.dir, "PATH=" + os.Getenv("PATH")}
	out, err := command.CombinedOutput()
	return string(out), err
}

// mustHelm is helm that must succeed.
func (h *host) mustHelm(args ...string) string {
	h.t.Helper()
	out, err := h.helm(args...)
	require.NoError(h.t, err, out)
	return out
}
