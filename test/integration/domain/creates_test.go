// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

// TestTwentyDomainsAtOnce verifies concurrent creates with the latency of a real Takaro: 2 s for a
// single create, and 14 s for each of ten concurrent ones. 20 creates, of which three run
// concurrently, take 31 s, plus 2 s for the anchor. On an idle machine all Domains are Ready within
// 34 s. The limit here allows for other test suites. The first Domains do not wait for the last.
func TestTwentyDomainsAtOnce(t *testing.T) {
	u := newTeam(t, takaro.Options{CreateLatency: 600 * time.Millisecond})
	require.NoError(t, u.Takaro.SetCreateTime(takaro.CreateTime{Base: 1400 * time.Millisecond, PerParallel: 4 * time.Second / 3}))
	var manifests []string
	for i := range 20 {
		manifests = append(manifests, u.manifest(fmt.Sprintf("arena-%d", i), ownLogin))
	}
	begin := time.Now()
	u.KubectlIn(t, strings.Join(manifests, "---\n"), "apply", "-f", "-")
	u.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev", "--all", "--timeout=60s")
	took := time.Since(begin)
	t.Logf("20 Domains are Ready after %s", took.Round(100*time.Millisecond))
	assert.Less(t, took, 40*time.Second)
	assert.Len(t, u.Takaro.Domains(), 20)
	assert.Equal(t, 21, u.Takaro.Count("POST", "/domain"), "no create is repeated, and one is the anchor's")
	require.NoError(t, u.Takaro.SetCreateTime(takaro.CreateTime{}))
}

// slowCreate is a part of TestSituations because of its duration.
func slowCreate(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	u.apply("first", ownLogin)
	u.requireWhole("first") // and the anchor exists
	u.Takaro.ResetCounts()
	require.NoError(t, u.Takaro.SetCreateTime(takaro.CreateTime{Base: 33 * time.Second}))
	u.apply("arena", ownLogin)
	u.Kubectl(t, "wait", "--for=condition=Ready", "domains.takaro.roadstead.dev/arena", "--timeout=90s")
	u.requireWhole("arena")
	assert.Equal(t, 1, u.Takaro.Count("POST", "/domain"))
	assert.Len(t, u.Takaro.Domains(), 2)
}
