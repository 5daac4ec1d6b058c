// SPDX-License-Identifier: Apache-2.0

//go:build integration

package atrest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
)

// sight contains the observations of an idle installation.
type sight struct {
	window   time.Duration
	requests map[string]int
	// stretch is the longest extension of the last comparisons according to the metric of the
	// controller.
	stretch float64
}

// watchRest observes an idle installation for a window, and requires that Roadstead writes nothing,
// neither to the cluster nor to Takaro.
func (m *many) watchRest(t *testing.T, window time.Duration) sight {
	t.Helper()
	m.settle(t)
	versions := m.versions(t)
	owed := recordIsBehind(t)
	m.takaro.ResetCounts()
	from := time.Now()
	time.Sleep(window) // the observed window
	seen := sight{window: time.Since(from), requests: map[string]int{}}
	anchors, renewals := m.takaro.Anchors(), 0
	require.Len(t, anchors, 1, "all TakaroEndpoints have one")
	for _, request := range m.takaro.Requests() {
		if request.Method == http.MethodPut && request.Path == "/domain/"+anchors[0].ID {
			renewals++
			continue
		}
		seen.requests[request.Path]++
		assert.Equal(t, http.MethodPost, request.Method, request.Path)
	}
	assert.LessOrEqual(t, renewals, m.made*(int(seen.window.Seconds()/10)+1), "each namespace renews it every ten seconds")
	all, writes := auditOf(t, from, from.Add(seen.window))
	reads := slices.DeleteFunc(all, func(read string) bool {
		// The controllers follow the addresses of kube-apiserver, because no spec may point to
		// them.
		if strings.Contains(read, "/namespaces/default/services/kubernetes") || strings.Contains(read,
			"/namespaces/default/endpointslices/kubernetes") {
			return true
		}
		// Every few seconds the server compares its store with the record and the anchors, and the
		// controllers read the record.
		return strings.Contains(read, "roadstead-apiserver: get /api/v1/namespaces/kube-system?") ||
			strings.Contains(read, "roadstead-apiserver: get /apis/apiregistration.k8s.io/v1/apiservices/") ||
			strings.Contains(read, ": get /api/v1/namespaces/roadstead-system/configmaps/roadstead-store-identity")
	})
	// The record of the revision follows changes within 15 seconds, so earlier changes may cause
	// one write.
	const record = "/api/v1/namespaces/roadstead-system/configmaps/roadstead-store-identity"
	if i := slices.IndexFunc(writes, func(write string) bool { return strings.Contains(write, record) }); owed && i >= 0 {
		writes = slices.Delete(writes, i, i+1)
	}
	assert.Empty(t, writes, "no writes to the cluster")
	for _, read := range reads {
		assert.Contains(t, read, "/namespaces/roadstead-system/secrets?labelSelector=roadstead.dev%2Fredis%3Dtrue", "what is not watched is read")
	}
	assert.LessOrEqual(t, len(reads), int(seen.window/comparePeriod)+1, "the description of the shared Redis, once in each period")
	assert.Equal(t, versions, m.versions(t), "no object has changed")
	for path := range seen.requests {
		assert.Contains(t, []string{"/domain/search", "/user/search", "/gameserver/search"}, path, "only lists")
	}
	for _, kind := range []string{"User", "MockServer"} {
		seen.stretch = max(seen.stretch, metric(t, `roadstead_takaro_compare_duration_seconds{kind="`+kind+`"}`))
	}
	t.Logf("%d environments at rest for %d ms: %v, comparisons take %.1f s", m.made, seen.window.Milliseconds(), seen.requests, seen.stretch)
	return seen
}

// recordIsBehind reports whether the store was written since its revision was recorded in the
// cluster.
func recordIsBehind(t *testing.T) bool {
	t.Helper()
	var list metav1.PartialObjectMetadataList
	out, _, err := env.Cluster.Kubectl(t.Context(), "get", "--raw", "/apis/takaro.roadstead.dev/v1alpha1/domains?limit=1")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	revision, err := strconv.ParseInt(list.ResourceVersion, 10, 64)
	require.NoError(t, err)
	return env.StoreRecord(t).Revision < revision
}

// auditOf returns the requests of the ServiceAccounts of the installation to the cluster, except
// Leases and watches.
func auditOf(t *testing.T, from, to time.Time) (reads, writes []string) {
	t.Helper()
	file, err := os.Open(env.Cluster.AuditLog())
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines := bufio.NewReaderSize(file, 1<<20)
	seen := false
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if !bytes.Contains(line, []byte(`"username":"system:serviceaccount:roadstead-system:`)) {
			continue
		}
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(line, &event))
		at := event.RequestReceivedTimestamp.Time
		if !strings.HasPrefix(event.User.Username, "system:serviceaccount:roadstead-system:") || event.Stage == auditv1.StageRequestReceived ||
			event.ObjectRef == nil {
			continue
		}
		if at.Before(from) || at.After(to) {
			continue
		}
		seen = true
		what := event.User.Username[strings.LastIndexByte(event.User.Username, ':')+1:] + ": " + event.Verb + " " + event.RequestURI
		switch {
		// Server and controller send TokenReviews and SubjectAccessReviews, which store nothing.
		case event.ObjectRef.Resource == "leases", event.Verb == "watch", strings.HasSuffix(event.ObjectRef.Resource, "reviews"):
		case event.Verb == "get" || event.Verb == "list":
			reads = append(reads, what)
		default:
			writes = append(writes, what)
		}
	}
	require.True(t, seen, "the audit log has the renewals of the Lease")
	return reads, writes
}

// metric returns the value of a metric of the controller.
func metric(t *testing.T, series string) float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+env.Roadstead.Controller().Address()+"/metrics", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if text, found := strings.CutPrefix(lines.Text(), series+" "); found {
			value, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			return value
		}
	}
	require.FailNow(t, "no metric", series)
	return 0
}

// settle waits until the effects of the last change are complete: Takaro has received only list
// requests for a while.
func (m *many) settle(t *testing.T) {
	t.Helper()
	const quiet = 2 * time.Second
	begin, last := time.Now(), -1
	framework.AwaitFor(t, framework.Limit, "Takaro is asked for nothing but lists", func() error {
		others := m.takaro.Count("", "") - m.takaro.Count("", "/*/search")
		if others != last {
			begin, last = time.Now(), others
		}
		if time.Since(begin) < quiet {
			return fmt.Errorf("%d requests so far", others)
		}
		return nil
	})
}
