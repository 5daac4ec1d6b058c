// SPDX-License-Identifier: Apache-2.0

//go:build integration

package chart

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
)

// load is continuous traffic of users.
type load struct {
	stop     context.CancelFunc
	workers  sync.WaitGroup
	requests atomic.Int64

	mu     sync.Mutex
	failed []string
	first  time.Time
	last   time.Time
}

// startLoad reads and changes a Domain from four concurrent clients with a total of 80 requests per
// second, until end.
func (h *host) startLoad(namespace, domain string) *load {
	h.t.Helper()
	ctx, stop := context.WithCancel(h.t.Context())
	l := &load{stop: stop}
	for n := range 4 {
		config := h.Cluster.AdminConfig()
		config.UserAgent = fmt.Sprintf("load-%d", n)
		client, err := versioned.NewForConfig(config)
		require.NoError(h.t, err)
		domains := client.TakaroV1alpha1().Domains(namespace)
		l.workers.Go(func() {
			ticker := time.NewTicker(50 * time.Millisecond)
			defer ticker.Stop()
			for turn := 0; ; turn++ {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				var err error
				switch turn % 3 {
				case 0:
					_, err = domains.Get(ctx, domain, metav1.GetOptions{})
				case 1:
					_, err = domains.List(ctx, metav1.ListOptions{})
				case 2:
					patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"load-%d":"%d"}}}`, n, turn)
					_, err = domains.Patch(ctx, domain, types.MergePatchType, patch, metav1.PatchOptions{})
				}
				if ctx.Err() == nil {
					l.note(err)
				}
			}
		})
	}
	return l
}

func (l *load) note(err error) {
	l.requests.Add(1)
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first.IsZero() {
		l.first = time.Now()
	}
	l.last = time.Now()
	l.failed = append(l.failed, err.Error())
}

// end stops the traffic. It returns the number of requests, the failed requests, and the duration
// of the failures.
func (l *load) end() (requests int64, failed []string, away time.Duration) {
	l.stop()
	l.workers.Wait()
	return l.requests.Load(), l.failed, l.last.Sub(l.first)
}
