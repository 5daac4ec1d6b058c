// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
)

// programEnv is set to run this test binary as the program of a Node project.
const programEnv = "MOCK_TEST_PROGRAM"

const patience = 20 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		os.Exit(program())
	}
	os.Exit(m.Run())
}

// program prints its environment, and serves until it receives SIGTERM.
func program() int {
	fmt.Println(strings.Join(os.Environ(), "\n"))
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, "answer to ", r.URL.Path) })}
	go func() { _ = server.ListenAndServe() }()
	<-ended
	return 7
}

// project writes a package.json with the start script.
func project(t *testing.T, start string) *realMock {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), fmt.Appendf(nil, `{"scripts":{"start":%q}}`, start), 0o600))
	m, err := newRealMock(dir, filepath.Join(t.TempDir(), "logs"))
	require.NoError(t, err)
	return m
}

// container is a container with probes that can be called and with the given files.
type container struct {
	mockgameserver.Process
	mu     sync.Mutex
	probes http.Handler
}

func newContainer(env, files map[string]string) *container {
	c := &container{}
	c.Process = mockgameserver.Process{
		Env: env, Logf: func(string, ...any) {},
		ServeProbes: func(h http.Handler) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.probes = h
		},
		File: func(_ context.Context, name string) ([]byte, error) {
			if content, found := files[name]; found {
				return []byte(content), nil
			}
			return nil, fs.ErrNotExist
		},
	}
	return c
}

func (c *container) probe(port string) (int, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.probes == nil {
		return 0, ""
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/healthz", http.NoBody)
	r.Host = net.JoinHostPort("10.0.0.1", port)
	c.probes.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestRealMockRunsTheStartScript(t *testing.T) {
	t.Setenv("ADMIN_CLIENT_SECRET", "hunter2")
	m := project(t, "EXTRA=1 "+os.Args[0])
	c := newContainer(map[string]string{programEnv: "yes", "PORT": "3002", "T_WS_URL": "ws://connector", "NODE_EXTRA_CA_CERTS": "/ca/ca.crt"},
		map[string]string{"/ca/ca.crt": "a certificate"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int, 1)
	go func() { code <- m.run(ctx, "ns_pod-0", c.Process) }()
	require.Eventually(t, func() bool { status, _ := c.probe("3002"); return status == http.StatusOK }, patience, 20*time.Millisecond)
	_, body := c.probe("3002")
	assert.Equal(t, "answer to /healthz", body)
	status, _ := c.probe("3003")
	assert.Equal(t, http.StatusBadGateway, status, "the program does not listen on another port")
	cancel()
	assert.Equal(t, 7, <-code, "it was asked to end and said how it did")
	status, _ = c.probe("3002")
	assert.Equal(t, http.StatusBadGateway, status)

	output, err := os.ReadFile(filepath.Join(m.logs, "ns_pod-0.log"))
	require.NoError(t, err)
	assert.Contains(t, string(output), "EXTRA=1")
	assert.Contains(t, string(output), "T_WS_URL=ws://connector")
	assert.Contains(t, string(output), filepath.Join(m.dir, "node_modules", ".bin"))
	assert.NotContains(t, string(output), "PORT=3002", "it gets a port of its own")
	assert.NotContains(t, string(output), "hunter2")
	assert.NotContains(t, string(output), "/ca/ca.crt", "the file of the pod is a file of this machine")
	bundle, err := os.ReadFile(filepath.Join(m.logs, "ns_pod-0-ca.crt"))
	require.NoError(t, err)
	assert.Equal(t, "a certificate", string(bundle))
}

func TestRealMockEndsByItself(t *testing.T) {
	for script, want := range map[string]int{"true": 0, "sh -c 'exit 3'": 3, "kill -9 $$": 137, "no-such-program-anywhere": 127} {
		assert.Equal(t, want, project(t, script).run(t.Context(), "a", newContainer(nil, nil).Process), script)
	}
	missing := newContainer(map[string]string{"NODE_EXTRA_CA_CERTS": "/missing"}, nil)
	assert.Equal(t, 1, project(t, "true").run(t.Context(), "a", missing.Process), "a mounted file is missing")
}

func TestRealMockNeedsAProject(t *testing.T) {
	_, err := newRealMock(t.TempDir(), t.TempDir())
	require.ErrorContains(t, err, "MOCK_GAMESERVER_DIR must name the folder of a built mock game server")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"scripts":{}}`), 0o600))
	_, err = newRealMock(dir, t.TempDir())
	require.ErrorContains(t, err, "has no script named start")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"scripts":{"start":"a && b"}}`), 0o600))
	_, err = newRealMock(dir, t.TempDir())
	require.ErrorContains(t, err, "must be a single command")
}

func TestEachRunAgainstARealTakaroHasItsOwnEmails(t *testing.T) {
	const example = "url: https://api.takaro.example\nemail: alice@example.com\n"
	one := &Outside{Takaro: &realTakaro{url: "https://takaro.test", token: "x"}, run: "1a2b3c4d"}
	assert.Equal(t, "url: https://takaro.test\nemail: alice-1a2b3c4d@example.com\n", one.Fill(example))
	assert.NotContains(t, one.Takaro.Look(), "__control")
}
