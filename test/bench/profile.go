// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/hack/local"
)

// profiler writes CPU profiles of kube-apiserver and roadstead-apiserver while turns are taken, one file of a second after
// the other: <measure>-<way>-<program>-<n>.pprof, which "go tool pprof" adds up.
type profiler struct {
	dir     string // empty: no profiles
	measure string
	written int
}

// profile begins profiles of a turn. What it returns ends them, at most a second later; an idle second has no samples.
func (b *bed) profile(ctx context.Context, w way) (end func() error) {
	if b.profiler.dir == "" {
		return func() error { return nil }
	}
	done := make(chan struct{})
	b.profiler.written++
	turn := b.profiler.written
	const path = "/debug/pprof/profile?seconds=1"
	group, ctx := errgroup.WithContext(ctx)
	for program, from := range map[string]struct {
		url    string
		client *http.Client
	}{
		cluster.APIServer: {"https://" + b.cluster.Addr() + path, b.asAdmin},
		local.APIServer:   {"https://" + b.roadstead.APIServerAddr() + path, b.asAdminPast},
	} {
		group.Go(func() error {
			for n := 0; ; n++ {
				select {
				case <-done:
					return nil
				default:
				}
				profile, err := fetch(ctx, from.client, from.url)
				if err != nil {
					return fmt.Errorf("profile of %s: %w", program, err)
				}
				name := fmt.Sprintf("%s-%s-%s-%d-%d.pprof", b.profiler.measure, w.name(), program, turn, n)
				if err := os.WriteFile(filepath.Join(b.profiler.dir, name), profile, 0o600); err != nil {
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
