// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// TestC05CallersHaveTheirOwnRate verifies that a caller that reads random names is answered with
// 429 when its reviews exceed its rate. kubectl and client-go retry such requests. Another caller
// is served meanwhile.
func TestC05CallersHaveTheirOwnRate(t *testing.T) {
	const qps, names, workers = 20, 400, 50
	flooding, other := editor(t), editor(t)
	restart(t, "--authorization-qps-per-caller=20")
	reviews := func() float64 {
		return metric(t, env.Cluster.AdminConfig(), "apiserver_request_total",
			map[string]string{"group": "authorization.k8s.io", "resource": "subjectaccessreviews"})
	}
	before, begin := reviews(), time.Now()
	queue := make(chan int)
	var all sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for range workers {
		all.Go(func() {
			for i := range queue {
				path := framework.DomainsPath(flooding.Namespace) + "/" + numbered("random", i)
				answer, err := framework.Try(t.Context(), flooding.Config, framework.Request{Path: path})
				assert.NoError(t, err)
				if answer.Code == http.StatusTooManyRequests {
					assert.NotEmpty(t, answer.Header.Get("Retry-After"))
				}
				mu.Lock()
				codes[answer.Code]++
				mu.Unlock()
			}
		})
	}
	for i := range names {
		queue <- i
		if i == names/2 {
			asked := time.Now()
			answer := framework.Do(t, other.Config, framework.Request{Path: framework.DomainsPath(other.Namespace) + "/none"})
			require.Equal(t, http.StatusNotFound, answer.Code, "%s", answer.Body)
			require.Less(t, time.Since(asked), 2*time.Second)
		}
	}
	close(queue)
	all.Wait()
	took := time.Since(begin)
	t.Logf("%v in %s, %.0f reviews", codes, took, reviews()-before)
	require.Positive(t, codes[http.StatusNotFound])
	require.Positive(t, codes[http.StatusTooManyRequests])
	require.Equal(t, names, codes[http.StatusNotFound]+codes[http.StatusTooManyRequests], "no other answer: %v", codes)
	// The last summand covers the reviews of other callers.
	require.Less(t, reviews()-before, 2*qps+qps*took.Seconds()+50)
	server := direct(env.Cluster.AdminConfig(), env.Roadstead.APIServerAddr())
	require.Positive(t, metric(t, server, "roadstead_authorizer_refused_requests_total", nil))
}
