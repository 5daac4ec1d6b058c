// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"path/filepath"
	"sync"

	"roadstead.dev/roadstead/test/fakes/podplayer"
)

// Images of the programs, and of their Redis, as the shipped manifests name them without tag.
const (
	APIServerImage  = "ghcr.io/roadstead/roadstead-apiserver"
	ControllerImage = "ghcr.io/roadstead/roadstead-controller"
	RedisImage      = "docker.io/library/redis"
)

// Options configure Programs. All fields are required.
type Options struct {
	// BinDir contains roadstead-apiserver and roadstead-controller.
	BinDir string
	// Dir stores volumes and logs. It must be on a disk because the embedded etcd does not start in
	// memory.
	Dir string
	// KubeAPIServer is the cluster's URL.
	KubeAPIServer string
	// Network maps the addresses of pods to those of the programs.
	Network podplayer.Network
	// Logf logs which program was started where. Nil disables the log.
	Logf func(format string, args ...any)
}

// Programs starts programs for a pod player.
type Programs struct {
	opts Options

	mu      sync.Mutex
	closed  bool
	running map[*run]bool
}

// New returns a Programs without running programs.
func New(opts Options) *Programs {
	if opts.Logf == nil {
		opts.Logf = func(string, ...any) {}
	}
	return &Programs{opts: opts, running: map[*run]bool{}}
}

// Behaviours returns the behaviors of all images, for podplayer.Options.
func (p *Programs) Behaviours() map[string]podplayer.Behaviour {
	own := func(name string) program {
		return func(b *box, pod *podplayer.Pod) (string, []string, error) {
			return filepath.Join(p.opts.BinDir, name), b.args(pod.Args), nil
		}
	}
	return map[string]podplayer.Behaviour{
		APIServerImage:  p.behaviour(own("roadstead-apiserver")),
		ControllerImage: p.behaviour(own("roadstead-controller")),
		RedisImage:      p.behaviour(redis),
	}
}

// Close kills the running programs and prevents new ones. Call it before the pod player is stopped,
// which waits for them.
func (p *Programs) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for r := range p.running {
		if err := r.process.Kill(); err != nil {
			return err
		}
	}
	return nil
}
