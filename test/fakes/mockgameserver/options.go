// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"roadstead.dev/roadstead/test/fakes/podplayer"
)

// Image and RealImage are the images that this behavior simulates. Image matches any tag.
const (
	Image     = "roadstead.test/mock-gameserver"
	RealImage = "ghcr.io/gettakaro/takaro-app-mock-gameserver:v0.4.11"
)

// RealStartDelay is the approximate time that the real program needs from the start of its process
// to its registration.
const RealStartDelay = 12 * time.Second

// Options configure the behavior. The zero value is valid.
type Options struct {
	// StartDelay is the time from the start to the first connection. Defaults to 50 ms.
	StartDelay time.Duration
	// TimeScale scales reconnect delays, the delay before the simulation and its intervals: 0.01
	// turns 5 s into 50 ms. Defaults to 1.
	TimeScale float64
}

// Behaviours returns the behavior under the names of both images, for podplayer.Options.
func Behaviours(opts Options) map[string]podplayer.Behaviour {
	behave := func(ctx context.Context, pod *podplayer.Pod) int {
		return Run(ctx, opts, Process{Env: pod.Env, Logf: pod.Logf, ServeProbes: pod.ServeProbes, File: pod.File})
	}
	return map[string]podplayer.Behaviour{Image: behave, RealImage: behave}
}

// Process is the environment of the program.
type Process struct {
	Env map[string]string
	// Logf receives the output of the program.
	Logf func(format string, args ...any)
	// ServeProbes sets the handler of the program's HTTP port.
	ServeProbes func(http.Handler)
	// File reads a mounted file.
	File func(ctx context.Context, name string) ([]byte, error)
}

func (o Options) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * cmp.Or(o.TimeScale, 1))
}

// sleep waits for d and reports whether ctx is not done.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
