// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// aggregated is the name of the path through kube-apiserver.
const aggregated = "aggregated"

// requestLimit is the timeout of each request except watches.
const requestLimit = 10 * time.Second

// witness is a group of clients that continuously read, watch and write, through the aggregation
// layer and directly. Each response must be from the right timeline or an error. A 404 or a missing
// item is checked like any other response.
type witness struct {
	t      *testing.T
	cancel context.CancelFunc
	ended  sync.WaitGroup

	mu         sync.Mutex
	violations []string
	// answered and failed are counters by path.
	answered, failed map[string]int
	// firstFailure is the first failure by path, for error messages.
	firstFailure map[string]string
	// confirmed is the last number that was written, by label of the Domain scratch.
	confirmed map[string]int
	// rounds is the last round that was observed, by watch.
	rounds map[string]int
}

// observe starts clients of the aggregation layer and of the API servers. Stop them with end.
func observe(t *testing.T, servers []replica) *witness {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &witness{
		t: t, cancel: cancel, answered: map[string]int{}, failed: map[string]int{}, firstFailure: map[string]string{},
		confirmed: map[string]int{}, rounds: map[string]int{},
	}
	t.Cleanup(w.stop)
	ways := map[string]*rest.Config{aggregated: env.Cluster.AdminConfig()}
	for _, server := range servers {
		ways[server.Name()] = env.Direct(server.Address())
	}
	for name, config := range ways {
		client := w.client(name, config)
		w.ended.Go(func() { client.readAll(ctx) })
		w.ended.Go(func() { client.writeAll(ctx, "writer-"+name) })
		for _, kind := range watchKinds {
			kind.name = name + ", " + kind.name
			w.rounds[kind.name] = 0
			w.ended.Go(func() { client.watchAll(ctx, kind) })
		}
	}
	return w
}

// lastRound is the number of the last round of all witnesses.
var lastRound atomic.Int64

// awaitRound writes to the Domain scratch, and returns when all watches have observed that write.
func (w *witness) awaitRound() {
	w.t.Helper()
	round := int(lastRound.Add(1))
	framework.Await(w.t, "a write", func() error { return w.writeRound(round) })
	framework.Await(w.t, "all watches to see the last write", func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		for name, seen := range w.rounds {
			if seen != round {
				return fmt.Errorf("%s saw %d, not %d", name, seen, round)
			}
		}
		return nil
	})
}

func (w *witness) writeRound(round int) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"round":"%d"}}}`, round)
	domains := framework.ClientFor(w.t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(namespace)
	_, err := domains.Patch(w.t.Context(), scratch, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// end stops the clients and requires that each path returned responses, that no response was from a
// wrong timeline, and that no confirmed write is lost.
func (w *witness) end() {
	w.t.Helper()
	w.stop()
	for way, count := range w.answered {
		w.t.Logf("%s: %d answers, %d errors, the first %s", way, count, w.failed[way], w.firstFailure[way])
	}
	require.Empty(w.t, w.violations[:min(len(w.violations), 10)], "%d wrong answers", len(w.violations))
	domains := framework.ClientFor(w.t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(namespace)
	found, err := domains.Get(w.t.Context(), scratch, metav1.GetOptions{})
	require.NoError(w.t, err)
	for label, number := range w.confirmed {
		stored, err := strconv.Atoi(found.Labels[label])
		require.NoError(w.t, err)
		require.GreaterOrEqual(w.t, stored, number, "a confirmed write of %s is lost", label)
	}
}

// endFaultless is end, and requires that the given paths returned no errors.
func (w *witness) endFaultless(ways ...string) {
	w.t.Helper()
	w.end()
	for _, way := range ways {
		require.Zero(w.t, w.failed[way], "%s: %s", way, w.firstFailure[way])
		require.Positive(w.t, w.answered[way], way)
	}
}

func (w *witness) stop() {
	w.cancel()
	w.ended.Wait()
}

// judge counts a response. A successful response must pass check.
func (w *witness) judge(ctx context.Context, way, what string, answer framework.Answer, err error, check func() error) bool {
	if ctx.Err() != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		return w.fail(way, fmt.Sprintf("%s: %v", what, err))
	case answer.Code == http.StatusNotFound:
		return w.violate(way, fmt.Sprintf("%s: %.300s", what, answer.Body))
	case answer.Code >= 300:
		return w.fail(way, fmt.Sprintf("%s: %d %.300s", what, answer.Code, answer.Body))
	}
	if err := check(); err != nil {
		return w.violate(way, fmt.Sprintf("%s: %v", what, err))
	}
	w.answered[way]++
	return true
}

func (w *witness) fail(way, what string) bool {
	w.failed[way]++
	if w.firstFailure[way] == "" {
		w.firstFailure[way] = what
	}
	return false
}

func (w *witness) violate(way, what string) bool {
	text := way + ": " + what
	if !slices.Contains(w.violations, text) {
		w.violations = append(w.violations, text)
	}
	return false
}
