// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// Pod is one run of one container, as its behaviour sees it. The fields must not be changed.
type Pod struct {
	Namespace, Name string
	Container       string
	Image           string
	// IP is the pod's address. It is unique and nothing listens there.
	IP string
	// Env are the container's variables, resolved when this run began.
	Env map[string]string
	// Command and Args are those of the container, with $(NAME) replaced.
	Command, Args []string
	// Restarts is how many runs of this container came before.
	Restarts int
	// Object is the pod as it was when this run began.
	Object *corev1.Pod

	printf  func(format string, args ...any)
	files   resolver
	spec    *corev1.Container
	frozen  map[string]map[string][]byte // files of volumes mounted with a subPath, by volume
	cancel  context.CancelFunc
	settle  sync.Once
	settled chan struct{} // closed when the behaviour has said something about itself
	mu      sync.Mutex
	killed  *int // exit code that Kill wants
	ready   bool
	healthy bool
	probes  http.Handler
}

// Logf prints to the container's log, see Player.Logs.
func (p *Pod) Logf(format string, args ...any) { p.printf(format, args...) }

// SetReady sets what a readiness probe finds that ServeProbes does not answer; at first it is true. What a behaviour sets as the
// first thing that it does is seen by the first probe. Without a readiness probe in
// its spec a container is ready whenever it runs.
func (p *Pod) SetReady(ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = ready
	p.settle.Do(func() { close(p.settled) })
}

// SetHealthy sets what a liveness or startup probe finds that ServeProbes does not answer; at first it is true. Without such a
// probe in its spec nothing happens.
func (p *Pod) SetHealthy(healthy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.healthy = healthy
	p.settle.Do(func() { close(p.settled) })
}

// ServeProbes lets a handler answer the container's httpGet probes: a status from 200 to 399 passes. It gets the probed port in
// Host and the scheme in the URL, and should refuse what the program does not listen on. Exec, TCP and gRPC probes
// go by SetReady and SetHealthy.
func (p *Pod) ServeProbes(h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes = h
	p.settle.Do(func() { close(p.settled) })
}

// File gives the content of a file of a mounted Secret, ConfigMap, downward API or projected volume: as it is now, or with a
// subPath as it was when this run began. The error is fs.ErrNotExist when there is no such file.
func (p *Pod) File(ctx context.Context, name string) ([]byte, error) {
	mount, volume, inside, err := p.files.mountOf(p.spec, name)
	if err != nil {
		return nil, err
	}
	files, isFrozen := p.frozen[volume.Name]
	if mount.SubPath == "" || !isFrozen {
		if files, err = p.files.volume(ctx, volume, true); err != nil {
			return nil, err
		}
	}
	content, found := files[inside]
	if !found {
		return nil, fmt.Errorf("volume %s of pod %s/%s has no file %s: %w", volume.Name, p.Namespace, p.Name, inside, fs.ErrNotExist)
	}
	return content, nil
}

// freeze keeps the volumes that are mounted with a subPath.
func (p *Pod) freeze(ctx context.Context) error {
	p.frozen = map[string]map[string][]byte{}
	for _, mount := range p.spec.VolumeMounts {
		if mount.SubPath == "" {
			continue
		}
		for i := range p.Object.Spec.Volumes {
			if v := &p.Object.Spec.Volumes[i]; v.Name == mount.Name {
				files, err := p.files.volume(ctx, v, false)
				if err != nil {
					return err
				}
				p.frozen[v.Name] = files
			}
		}
	}
	return nil
}
