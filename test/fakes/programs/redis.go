// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"roadstead.dev/roadstead/test/fakes/podplayer"
)

// redis runs the shipped start script with the machine's redis-server.
func redis(b *box, pod *podplayer.Pod) (string, []string, error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return "", nil, fmt.Errorf(`redis-server is not in PATH: run "make tools": %w`, err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(b.inside("/etc/redis"), "redis.conf")
	config, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	text := b.text(strings.Replace(string(config), "bind * -::*", "bind "+b.address, 1))
	text = strings.Replace(text, "dir /data", "dir "+b.inside("/data"), 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", nil, err
	}
	var args []string
	for _, arg := range append(pod.Command[1:len(pod.Command):len(pod.Command)], pod.Args...) {
		args = append(args, b.text(arg))
	}
	return shell, args, nil
}

// awaitListening replaces probes other than httpGet: the container is ready once its first port
// accepts connections.
func (r *run) awaitListening(ctx context.Context, pod *podplayer.Pod) {
	ports := pod.Object.Spec.Containers[0].Ports
	if len(ports) == 0 {
		return
	}
	pod.SetReady(false)
	address := net.JoinHostPort(r.address, fmt.Sprint(ports[0].ContainerPort))
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = conn.Close()
			pod.SetReady(true)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-r.process.Done():
			return
		case <-ticker.C:
		}
	}
}
