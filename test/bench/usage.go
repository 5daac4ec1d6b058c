// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// shares are CPU times by the name of the program.
type shares map[string]time.Duration

// cpu returns the CPU time that the measured processes have used so far.
func (b *bed) cpu() (shares, error) {
	used := shares{}
	for name, pid := range b.processes() {
		spent, err := cpuTime(pid)
		if err != nil {
			return nil, fmt.Errorf("CPU of %s: %w", name, err)
		}
		used[name] = spent
	}
	return used, nil
}

// since returns the CPU time that was used since an earlier measurement.
func (s shares) since(earlier shares) shares {
	between := shares{}
	for name, used := range s {
		between[name] = used - earlier[name]
	}
	return between
}

func (s shares) sum() time.Duration {
	var sum time.Duration
	for _, used := range s {
		sum += used
	}
	return sum
}

// text returns the part of each program in percent.
func (s shares) text() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if percent := math.Round(100 * s[name].Seconds() / max(s.sum().Seconds(), 0.001)); percent > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", name, percent))
		}
	}
	return strings.Join(parts, ", ")
}

// resident returns the resident memory of all measured processes, by name, in MiB.
func (b *bed) resident() (map[string]float64, error) {
	sizes := map[string]float64{}
	for name, pid := range b.processes() {
		size, err := residentBytes(pid)
		if err != nil {
			return nil, fmt.Errorf("memory of %s: %w", name, err)
		}
		sizes[name] = size / (1 << 20)
	}
	return sizes, nil
}

// collect runs a garbage collection in all measured processes, and returns the bytes of live
// objects in all of them.
func (b *bed) collect(ctx context.Context) (float64, error) {
	const path = "/debug/pprof/heap?gc=1&debug=1"
	urls := map[string]*http.Client{
		"https://" + b.cluster.Addr() + path:            b.asAdmin,
		"https://" + b.roadstead.APIServerAddr() + path: b.asAdminPast,
		b.cluster.EtcdURL() + path:                      http.DefaultClient,
		"http://" + b.profiles + path:                   http.DefaultClient,
	}
	sizes := make(chan float64, len(urls))
	group, ctx := errgroup.WithContext(ctx)
	for url, client := range urls {
		group.Go(func() error {
			text, err := fetch(ctx, client, url)
			if err != nil {
				return err
			}
			size, err := liveBytes(text)
			sizes <- size
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, fmt.Errorf("garbage collection: %w", err)
	}
	close(sizes)
	var sum float64
	for size := range sizes {
		sum += size
	}
	return sum, nil
}

// liveBytes parses the heap size of a process from its profile in text form.
func liveBytes(profile []byte) (float64, error) {
	lines := bufio.NewScanner(bytes.NewReader(profile))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, found := strings.CutPrefix(lines.Text(), "# HeapAlloc = "); found {
			return strconv.ParseFloat(text, 64)
		}
	}
	return 0, errors.Join(lines.Err(), errors.New("the heap profile does not tell HeapAlloc"))
}
