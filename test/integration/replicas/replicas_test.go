// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// The tests run in the order of this file. Each test leaves the same number of replicas as it
// found. Tests that remove replicas come last.

func TestC06ReplicasShareTheLoad(t *testing.T) { shareTheLoad(t) }

func TestC09ReplicasAreReplacedWithoutAFailedRequest(t *testing.T) { areReplaced(t) }

func TestC16ReplicasTakeNewCertificatesWithoutAFailedRequest(t *testing.T) { takeNewCertificates(t) }

func TestReplicasOutliveAMemberOfEtcd(t *testing.T) { outliveAMember(t) }

func TestC07ReplicasAreMissedWhenOneDies(t *testing.T) { areMissed(t) }

// editor creates a namespace and a user with edit rights in it.
func editor(t *testing.T) *framework.User {
	t.Helper()
	return env.User(t, env.Namespace(t), "edit")
}

// running returns the API servers that are running.
func running() []*install.Program {
	var all []*install.Program
	for _, server := range env.Roadstead.APIServers() {
		if server.Running() {
			all = append(all, server)
		}
	}
	return all
}

// direct returns a configuration of the administrator for a replica that bypasses the aggregation
// layer.
func direct(address string) *rest.Config {
	config := rest.CopyConfig(env.Cluster.AdminConfig())
	config.Host = "https://" + address
	config.Insecure, config.CAData, config.CAFile = true, nil, ""
	return config
}

// served returns the number of requests for Roadstead's kinds that a replica has served since its
// start.
func served(t *testing.T, address string) float64 {
	t.Helper()
	answer := framework.Do(t, direct(address), framework.Request{Path: "/metrics", Accept: "text/plain"})
	require.Equal(t, http.StatusOK, answer.Code)
	var sum float64
	for lines := bufio.NewScanner(strings.NewReader(string(answer.Body))); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "apiserver_request_total{") && strings.Contains(line, `resource="domains"`) {
			value, err := strconv.ParseFloat(line[strings.LastIndex(line, " ")+1:], 64)
			require.NoError(t, err)
			sum += value
		}
	}
	return sum
}

// shareTheLoad covers k/k#61296: without --goaway-chance, one replica serves all requests for the
// lifetime of the connection of the aggregation layer.
func shareTheLoad(t *testing.T) {
	u := editor(t)
	before := map[string]float64{}
	for _, server := range running() {
		require.NoError(t, server.Stop())
		require.NoError(t, server.StartWith(t.Context(), "--goaway-chance=0.005"))
		// The settings of this test must not affect the writes of the other tests.
		t.Cleanup(func() {
			require.NoError(t, server.Stop())
			require.NoError(t, server.Start(context.Background()))
		})
		before[server.Address()] = served(t, server.Address())
	}
	require.NoError(t, env.Roadstead.AwaitAvailable(t.Context()))
	l := newLoad(t, u.Config, 10*time.Second)
	l.start(8, 0, func(int, int) []operation {
		return []operation{{method: http.MethodGet, path: framework.DomainsPath(u.Namespace), code: http.StatusOK}}
	})
	wait(t, time.Minute)
	l.faultless(t, 5000)
	var sum, least float64
	shares := map[string]float64{}
	for address, earlier := range before {
		shares[address] = served(t, address) - earlier
		sum += shares[address]
		if least == 0 || shares[address] < least {
			least = shares[address]
		}
	}
	t.Logf("%.0f requests in a minute: %v, connections %v", sum, shares, service.Connections())
	require.GreaterOrEqual(t, least/sum, 0.15, "share of the least loaded of three")
}

// wait lets the traffic run for a duration.
func wait(t *testing.T, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	<-ctx.Done()
	require.NoError(t, t.Context().Err())
}
