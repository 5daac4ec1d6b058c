// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// profiler writes CPU profiles of kube-apiserver and roadstead-apiserver during turns, one file per
// second: <measure>-<way>-<program>-<n>.pprof. "go tool pprof" merges them.
type profiler struct {
	dir     string // empty: no profiles
	measure string
	written int
}

// programs returns the profiled programs: the address of each and a client with access to its
// profiles.
func (b *bed) programs() map[string]program {
	return map[string]program{
		cluster.APIServer: {"https://" + b.cluster.Addr(), b.asAdmin},
		install.APIServer: {"https://" + b.roadstead.APIServerAddr(), b.asAdminPast},
	}
}

type program struct {
	url    string
	client *http.Client
}

// profileHeaps writes the heap profiles of the programs after a measure:
// <measure>-heap-<program>.pprof.
func (b *bed) profileHeaps(ctx context.Context) error {
	if b.profiler.dir == "" {
		return nil
	}
	for name, p := range b.programs() {
		profile, err := fetch(ctx, p.client, p.url+"/debug/pprof/heap?gc=1")
		if err != nil {
			return fmt.Errorf("heap of %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(b.profiler.dir, fmt.Sprintf("%s-heap-%s.pprof", b.profiler.measure, name)),
			profile, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// profile starts profiles of a turn. The returned function ends them, after at most a second; an
// idle second has no samples.
func (b *bed) profile(ctx context.Context, w way) (end func() error) {
	if b.profiler.dir == "" {
		return func() error { return nil }
	}
	done := make(chan struct{})
	b.profiler.written++
	turn := b.profiler.written
	const path = "/debug/pprof/profile?seconds=1"
	group, ctx := errgroup.WithContext(ctx)
	for name, from := range b.programs() {
		group.Go(func() error {
			for n := 0; ; n++ {
				select {
				case <-done:
					return nil
				default:
				}
				profile, err := fetch(ctx, from.client, from.url+path)
				if err != nil {
					return fmt.Errorf("profile of %s: %w", name, err)
				}
				file := fmt.Sprintf("%s-%s-%s-%d-%d.pprof", b.profiler.measure, w.name(), name, turn, n)
				if err := os.WriteFile(filepath.Join(b.profiler.dir, file), profile, 0o600); err != nil {
					return err
				}
			}
		})
	}
	return func() error {
		close(done)
		return group.Wait()
	}
}
