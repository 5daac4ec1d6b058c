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

// Pod is one run of one container, as passed to its behavior. The fields must not be changed.
type Pod struct {
	Namespace, Name string
	Container       string
	Image           string
	// IP is the pod's address. It is unique, and no program listens on it.
	IP string
	// Env is the container's environment, resolved when this run began.
	Env map[string]string
	// Command and Args are those of the container, with $(NAME) replaced.
	Command, Args []string
	// Restarts is the number of earlier runs of this container.
	Restarts int
	// Object is the pod when this run began.
	Object *corev1.Pod

	printf  func(format string, args ...any)
	files   resolver
	spec    *corev1.Container
	frozen  map[string]map[string][]byte // files of volumes mounted with a subPath, by volume
	cancel  context.CancelFunc
	settle  sync.Once
	settled chan struct{} // closed when the behavior has reported its state
	mu      sync.Mutex
	killed  *int // exit code set by Kill
	ready   bool
	healthy bool
	probes  http.Handler
}

// Logf prints to the container's log, see Player.Logs.
func (p *Pod) Logf(format string, args ...any) { p.printf(format, args...) }

// SetReady sets the result of readiness probes that ServeProbes does not answer. Defaults to true.
// If a behavior calls it first, the first probe sees the value. A container without a readiness
// probe in its spec is ready whenever it runs.
func (p *Pod) SetReady(ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = ready
	p.settle.Do(func() { close(p.settled) })
}

// SetHealthy sets the result of liveness and startup probes that ServeProbes does not answer.
// Defaults to true. It has no effect without such a probe in the spec.
func (p *Pod) SetHealthy(healthy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.healthy = healthy
	p.settle.Do(func() { close(p.settled) })
}

// ServeProbes sets a handler for the container's httpGet probes: a status from 200 to 399 passes.
// The request has the probed port in Host and the scheme in the URL. The handler should refuse
// ports on which the program does not listen. Exec, TCP and gRPC probes use SetReady and
// SetHealthy.
func (p *Pod) ServeProbes(h http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes = h
	p.settle.Do(func() { close(p.settled) })
}

// File returns the content of a file of a mounted Secret, ConfigMap, downward API or projected
// volume: the current content, or with a subPath the content when this run began. It returns
// fs.ErrNotExist if the file does not exist.
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

// freeze stores the content of the volumes that are mounted with a subPath.
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
