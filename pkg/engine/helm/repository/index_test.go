// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func TestIndex_Cached(t *testing.T) {
	w := newWorld(t)
	repository := Repository{URL: w.https.URL()}
	fetched := func() int { return len(w.https.Requests("/index.yaml")) }
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.Equal(t, 1, fetched(), "twenty that ask at once")
	w.clock.SetTime(w.clock.Now().Add(59 * time.Second))
	_, err := w.client.Versions(t.Context(), repository, "widgets")
	require.NoError(t, err)
	assert.Equal(t, 1, fetched(), "within a minute")

	w.clock.SetTime(w.clock.Now().Add(2 * time.Second))
	_, err = w.client.Versions(t.Context(), repository, "widgets")
	require.NoError(t, err)
	require.Equal(t, 2, fetched())
	requests := w.https.Requests("/index.yaml")
	assert.Empty(t, requests[0].IfNoneMatch)
	assert.NotEmpty(t, requests[1].IfNoneMatch, "what did not change is not sent again")

	_, err = w.https.Add(widgets("3.0.0"))
	require.NoError(t, err)
	w.clock.SetTime(w.clock.Now().Add(4 * time.Second))
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "3.0.0")
	require.True(t, isMissing(err, MissingVersion), "asked a moment ago")
	w.clock.SetTime(w.clock.Now().Add(2 * time.Second))
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "3.0.0")
	require.NoError(t, err, "a version that is not in the index is looked for again before the minute is over")
	assert.Equal(t, 3, fetched())
}

func TestIndex_FailureIsNotCached(t *testing.T) {
	w := newWorld(t)
	w.https.Fail("/index.yaml", chartrepo.Status(http.StatusBadGateway, ""))
	_, err := w.client.Versions(t.Context(), Repository{URL: w.https.URL()}, "widgets")
	require.Equal(t, KindUnreachable, KindOf(err))
	w.https.Heal()
	_, err = w.client.Versions(t.Context(), Repository{URL: w.https.URL()}, "widgets")
	require.NoError(t, err)
}

func TestIndex_UnexpectedNotModified(t *testing.T) {
	w := newWorld(t)
	w.https.Fail("/index.yaml", chartrepo.Status(http.StatusNotModified, ""))
	_, err := w.client.Versions(t.Context(), Repository{URL: w.https.URL()}, "widgets")
	require.ErrorContains(t, err, "304")
	assert.Equal(t, KindInvalid, KindOf(err))
}

func TestIndexes_CacheIsLimited(t *testing.T) {
	kept, now := newIndexes(), time.Now()
	for n := range maxIndexes + 3 {
		kept.put(fmt.Sprint(n), keptIndex{index: index{}, at: now, used: now.Add(time.Duration(n) * time.Second)})
		_, ok := kept.get("0", now, time.Minute)
		_ = ok
	}
	assert.Len(t, kept.kept, maxIndexes)
	_, ok := kept.get(fmt.Sprint(maxIndexes+2), now, time.Minute)
	assert.True(t, ok, "the newest is there")
}

func TestDecodeIndex(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    index
	}{
		"YAML": {"apiVersion: v1\nentries:\n  a:\n  - {version: 1.0.0, digest: ab, urls: [x.tgz], unknown: 1}\n  - null\n  - " +
			"{version: 0.9.0, removed: true}\n  b: []\n", index{"a": {{Version: "1.0.0", Digest: "ab", URLs: []string{"x.tgz"}}}}},
		"JSON":        {`{"apiVersion":"v1","entries":{"a":[{"version":"1.0.0"}]}}`, index{"a": {{Version: "1.0.0"}}}},
		"no entries":  {"apiVersion: v1\n", index{}},
		"a number":    {"apiVersion: v1\nentries: {a: [{version: 1.5}]}", index{"a": {{Version: "1.5"}}}},
		"without any": {"apiVersion: v1\nentries: {a: null}", index{}},
	} {
		got, err := decodeIndex([]byte(test.content))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, got, name)
	}
	bomb := "a: &a [" + strings.Repeat("x,", 100) + "]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 20), ","))
	}
	for name, content := range map[string]string{
		"empty": "", "no version": "entries: {}", "HTML": "<html>s3cr3t</html>", "no map": "- apiVersion: v1",
		"wrong types":       "apiVersion: v1\nentries: {a: {b: s3cr3t}}",
		"a bomb of aliases": "apiVersion: v1\n" + bomb,
	} {
		_, err := decodeIndex([]byte(content))
		require.EqualError(t, err, "index.yaml is not an index of a chart repository", name)
	}
}

func FuzzDecodeIndex(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nentries:\n  a:\n  - {version: 1.0.0, digest: ab, urls: [x.tgz]}\n"))
	f.Add([]byte(`{"apiVersion":"v1","entries":{"a":[{"version":"1.0.0"},null]}}`))
	f.Add([]byte("apiVersion: v1\nentries: &a {b: *a}\n"))
	at, _ := Repository{URL: "https://charts.example.com/stable"}.parse()
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := decodeIndex(content)
		if err != nil && (found != nil || err.Error() != "index.yaml is not an index of a chart repository") {
			t.Fatalf("%v and %v", found, err)
		}
		for name, entries := range found {
			for n := range entries {
				if _, err := found.find(name, entries[n].Version); err != nil {
					t.Fatalf("%q %q: %v", name, entries[n].Version, err)
				}
				if from, err := entries[n].location(at, name); err == nil && (from.Scheme != "https" || from.User != nil) {
					t.Fatalf("it would ask %s", from)
				}
			}
		}
	})
}
