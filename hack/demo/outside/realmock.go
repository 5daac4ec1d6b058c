// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/framework/process"
)

// envMockServer is the variable with the directory of a built mock game server, the build of
// packages/app-mock-gameserver in Takaro's repository. The pods then run it instead of the
// simulated one.
const envMockServer = "MOCK_GAMESERVER_DIR"

const (
	// mockPort is the port on which the program listens unless PORT is set.
	mockPort = "3002"
	// mockGrace is less than the 30 s after which a kubelet kills a container.
	mockGrace = 25 * time.Second
)

// realMock runs the script "start" of a Node project for each container.
type realMock struct {
	dir, start, logs string
}

// newRealMock reads the project in a directory. Each pod gets a log in the directory logs.
func newRealMock(dir, logs string) (*realMock, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, fmt.Errorf("%s must name the folder of a built mock game server: %w", envMockServer, err)
	}
	var project struct {
		Scripts struct{ Start string }
	}
	if err := json.Unmarshal(content, &project); err != nil {
		return nil, fmt.Errorf("decode %s: %w", filepath.Join(dir, "package.json"), err)
	}
	if project.Scripts.Start == "" {
		return nil, fmt.Errorf("%s has no script named start", filepath.Join(dir, "package.json"))
	}
	if strings.ContainsAny(project.Scripts.Start, ";&|\n") {
		return nil, fmt.Errorf("the script start of %s must be a single command, so that it can be told to end: %q",
			filepath.Join(dir, "package.json"), project.Scripts.Start)
	}
	if logs, err = filepath.Abs(logs); err != nil {
		return nil, err
	}
	return &realMock{dir: dir, start: project.Scripts.Start, logs: logs}, os.MkdirAll(logs, 0o755)
}

// behaviours returns the program for both images of the mock game server.
func (m *realMock) behaviours() map[string]podplayer.Behaviour {
	run := func(ctx context.Context, pod *podplayer.Pod) int {
		container := mockgameserver.Process{Env: pod.Env, Logf: pod.Logf, ServeProbes: pod.ServeProbes, File: pod.File}
		return m.run(ctx, pod.Namespace+"_"+pod.Name, container)
	}
	return map[string]podplayer.Behaviour{mockgameserver.Image: run, mockgameserver.RealImage: run}
}

// run runs the program until it ends or ctx is done, and returns its exit code.
func (m *realMock) run(ctx context.Context, name string, container mockgameserver.Process) int {
	log := filepath.Join(m.logs, name+".log")
	code, err := m.runLogged(ctx, name, log, container)
	if err != nil {
		container.Logf("mock game server: %v", err)
		return 1
	}
	container.Logf("mock game server: exit code %d; its output is in %s", code, log)
	return code
}

func (m *realMock) runLogged(ctx context.Context, name, log string, container mockgameserver.Process) (int, error) {
	// All pods share this machine's loopback, so each of them needs a different port.
	port, err := freePort(ctx)
	if err != nil {
		return 0, err
	}
	env, err := m.environment(ctx, name, port, container)
	if err != nil {
		return 0, err
	}
	container.ServeProbes(forwardProbes(cmp.Or(container.Env["PORT"], mockPort), port))
	// The shell and env, which sets variables at the beginning of the script, replace themselves,
	// so that signals reach the program.
	program, err := process.Start(process.Options{
		Program: "/bin/sh", Args: []string{"-c", "exec env " + m.start}, Dir: m.dir, Log: log, Env: env,
	})
	if err != nil {
		return 0, err
	}
	select {
	case <-program.Done():
	case <-ctx.Done():
		if err := program.Stop(mockGrace); err != nil {
			return 0, err
		}
	}
	return exitCode(program.Err())
}

// environment returns the container's variables, with a separate port and npm's path to the
// programs of the project. It does not inherit other variables of this process, because the demo's
// environment contains an admin token.
func (m *realMock) environment(ctx context.Context, name string, port int, container mockgameserver.Process) ([]string, error) {
	var path []string
	for dir := m.dir; ; dir = filepath.Dir(dir) {
		path = append(path, filepath.Join(dir, "node_modules", ".bin"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	path = append(path, os.Getenv("PATH"))
	env := []string{"HOME=" + m.logs, "PATH=" + strings.Join(path, string(os.PathListSeparator)), "NODE_NO_WARNINGS=1"}
	for variable, value := range container.Env {
		if variable == "NODE_EXTRA_CA_CERTS" && value != "" {
			bundle, err := container.File(ctx, value)
			if err != nil {
				return nil, err
			}
			value = filepath.Join(m.logs, name+"-ca.crt")
			if err := os.WriteFile(value, bundle, 0o644); err != nil {
				return nil, err
			}
		}
		env = append(env, variable+"="+value)
	}
	return append(env, "PORT="+strconv.Itoa(port)), nil
}

// forwardProbes forwards the probes of one port of the container to the port of this machine on
// which its program listens.
func forwardProbes(wanted string, port int) http.Handler {
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))})
	forward.Transport = &http.Transport{DisableKeepAlives: true, ResponseHeaderTimeout: 5 * time.Second}
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, probed, _ := net.SplitHostPort(r.Host); probed != wanted {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		forward.ServeHTTP(w, r)
	})
}

func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// exitCode returns the exit code of a program that ended with err, as a kubelet reports it.
func exitCode(err error) (int, error) {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return 0, err
	}
	if status, ok := ended.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return ended.ExitCode(), nil
}
