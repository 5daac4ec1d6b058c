// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/framework/process"
)

const (
	// cannotStart is the exit code of a container whose program cannot be started.
	cannotStart = 128
	// killed is the exit code of a program that was ended by a signal.
	killed = 137
)

// run is one run of a program.
type run struct {
	process *process.Process
	address string
}

// program is what an image runs: the path of the executable, and its arguments.
type program func(b *box, pod *podplayer.Pod) (path string, args []string, err error)

func (p *Programs) behaviour(what program) podplayer.Behaviour {
	return func(ctx context.Context, pod *podplayer.Pod) int {
		r, log, err := p.start(ctx, what, pod)
		if err != nil {
			pod.Logf("programs: start %s: %v", pod.Image, err)
			return cannotStart
		}
		defer p.forget(r)
		copied := make(chan struct{})
		go func() {
			defer close(copied)
			follow(log, r.process.Done(), pod.Logf)
		}()
		pod.ServeProbes(r)
		go r.awaitListening(ctx, pod)
		select {
		case <-ctx.Done():
			if err := r.process.Stop(grace(pod.Object)); err != nil {
				pod.Logf("programs: end %s: %v", pod.Image, err)
			}
		case <-r.process.Done():
		}
		<-copied
		return exitCode(r.process.Err())
	}
}

// start prepares what kubelet would prepare for the container, and starts its program.
func (p *Programs) start(ctx context.Context, what program, pod *podplayer.Pod) (*run, string, error) {
	address, err := p.opts.Network.Address(pod.IP)
	if err != nil {
		return nil, "", err
	}
	// The directory belongs to the pod because an emptyDir outlives its containers.
	b := &box{dir: filepath.Join(p.opts.Dir, "pods", string(pod.Object.UID)), address: address, apiServer: p.opts.KubeAPIServer}
	if err := b.fill(ctx, pod); err != nil {
		return nil, "", err
	}
	executable, args, err := what(b, pod)
	if err != nil {
		return nil, "", err
	}
	env := b.env(pod.Env)
	log := filepath.Join(b.dir, fmt.Sprintf("%s-%d.log", pod.Container, pod.Restarts))
	var variables []string
	for _, key := range slices.Sorted(maps.Keys(env)) {
		variables = append(variables, key+"="+env[key])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, "", errors.New("the machine goes down")
	}
	started, err := process.Start(process.Options{Program: executable, Args: args, Dir: b.dir, Log: log, Env: variables})
	if err != nil {
		return nil, "", err
	}
	p.opts.Logf("pod %s/%s runs %s (pid %d) at %s, log %s", pod.Namespace, pod.Name, filepath.Base(executable), started.PID(), address, log)
	r := &run{process: started, address: address}
	p.running[r] = true
	return r, log, nil
}

func (p *Programs) forget(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, r)
}

func grace(pod *corev1.Pod) time.Duration {
	if s := pod.Spec.TerminationGracePeriodSeconds; s != nil {
		return time.Duration(*s) * time.Second
	}
	return corev1.DefaultTerminationGracePeriodSeconds * time.Second
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode()
	}
	return killed
}

// follow forwards the output of a program until it has ended and all output is forwarded.
func follow(path string, ended <-chan struct{}, printf func(string, ...any)) {
	file, err := os.Open(path)
	if err != nil {
		printf("programs: %v", err)
		return
	}
	defer func() { _ = file.Close() }()
	lines := newLines(file)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for over := false; ; {
		lines.hand(printf, over)
		if over {
			return
		}
		select {
		case <-ended:
			over = true
		case <-ticker.C:
		}
	}
}
