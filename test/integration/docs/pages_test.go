// SPDX-License-Identifier: Apache-2.0

//go:build integration

package docs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/docs/blocks"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	// limit bounds a command. The longest commands wait for an environment or a namespace.
	limit = 90 * time.Second
	// slow is the duration from which a command is logged, so that authors of a page notice slow
	// commands.
	slow = 2 * time.Second
	// patience bounds the wait for an expected result.
	patience = 15 * time.Second
)

// TestPages runs the pages sequentially, because they share the cluster. Each page restores the
// initial state.
func TestPages(t *testing.T) {
	pages, err := blocks.Pages(root)
	require.NoError(t, err)
	count := 0
	for _, page := range pages {
		if page.Runs() {
			count++
			t.Run(page.Name, func(t *testing.T) { runPage(t, page) })
		}
	}
	require.Greater(t, count, 5, "the pages were not found")
}

func runPage(t *testing.T, page blocks.Page) {
	t.Helper()
	dir := workFolder(t)
	env := environment(t, dir)
	run := func(all ...blocks.Block) {
		session, err := blocks.NewSession(dir, env)
		require.NoError(t, err)
		defer func() { require.NoError(t, session.Close()) }()
		runner := &blocks.Runner{Session: session, Limit: limit, Patience: patience,
			Rules: append([]blocks.Rule{{Pattern: takaro.DomainIDs(), Word: "DOMAIN"}}, blocks.Rules()...)}
		for _, block := range all {
			begin := time.Now()
			err := runner.Run(t.Context(), block)
			if took := time.Since(begin); took > slow {
				t.Logf("%s took %.1f s", block.Where(), took.Seconds())
			}
			if err != nil {
				t.Error(err)
			}
			if errors.Is(err, blocks.ErrEnded) {
				return
			}
		}
	}
	run(page.Blocks...)
	// Each block runs in a separate shell, because the shell of the page or of the previous block
	// may have exited.
	for _, block := range page.After {
		run(block)
	}
}

// workFolder returns a writable directory with the content of the checkout. It is not below
// t.TempDir, whose path contains the name of the test.
func workFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "roadstead-docs-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	checkout, err := filepath.Abs(root)
	require.NoError(t, err)
	entries, err := os.ReadDir(checkout)
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.Name()[0] != '.' {
			require.NoError(t, os.Symlink(filepath.Join(checkout, entry.Name()), filepath.Join(dir, entry.Name())))
		}
	}
	// Pages instruct the reader to fill in these addresses.
	require.NoError(t, filepath.WalkDir(filepath.Join(checkout, "artifacts", "examples", "takaro"),
		func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, entry.Name()), []byte(scene.outside.Fill(string(content))), 0o600)
		}))
	return dir
}

// environment returns the environment variables of a reader and those of the set-up scripts.
func environment(t *testing.T, dir string) []string {
	t.Helper()
	// A page may change its copy of the kubeconfig.
	kubeconfig, err := os.ReadFile(env.Cluster.Kubeconfig())
	require.NoError(t, err)
	home := filepath.Join(dir, ".home")
	require.NoError(t, os.Mkdir(home, 0o700))
	own := filepath.Join(home, "kubeconfig")
	require.NoError(t, os.WriteFile(own, kubeconfig, 0o600))
	return []string{
		"PATH=" + scene.path, "HOME=" + home, "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8",
		"KUBECONFIG=" + own, "KUBECACHEDIR=" + filepath.Join(env.Cluster.Dir(), ".kube", "cache"),
		"TAKARO=" + scene.outside.Takaro.URL(), "CONNECTOR=" + scene.outside.Takaro.ConnectorURL(), "TAKARO_TOKEN=" +
			scene.outside.Takaro.AdminToken(),
		"REDIS_HOST=" + scene.outside.Redis.Host, "REDIS_PORT=" + strconv.Itoa(scene.outside.Redis.Port), "REDISCLI_AUTH=" +
			scene.outside.Redis.Password,
		"APISERVER_LOG=" + env.Roadstead.APIServer().Log(), "CHARTS=" + scene.charts.URL(),
	}
}
