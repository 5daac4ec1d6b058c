// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

// zeros returns an archive of one file that is small when packed.
func zeros(t *testing.T, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	archive := tar.NewWriter(compressed)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "widgets/files/zeros", Mode: 0o644, Size: size, Typeflag: tar.TypeReg}))
	_, err = archive.Write(make([]byte, size))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	return out.Bytes()
}

// TestArchive_Invalid checks archives that are rejected by both kinds of repositories.
func TestArchive_Invalid(t *testing.T) {
	pack := func(change func(*chartrepo.Chart)) []byte {
		chart := widgets("4.0.0")
		change(&chart)
		packed, err := chartrepo.Pack(chart)
		require.NoError(t, err)
		return packed
	}
	raw := func(name string) []byte {
		return pack(func(c *chartrepo.Chart) { c.Raw = map[string]string{name: "x"} })
	}
	w := newWorld(t)
	for name, test := range map[string]struct {
		archive []byte
		kind    Kind
		want    string
	}{
		"a name outside of the chart": {raw("widgets/../../evil"), KindInvalid, "is outside of the chart"},
		"an absolute name":            {raw("/etc/evil"), KindInvalid, "is outside of the chart"},
		"a name of Windows":           {raw(`widgets\..\..\evil`), KindInvalid, "is outside of the chart"},
		"a link": {pack(func(c *chartrepo.Chart) { c.Links = map[string]string{"templates/x": "/etc/passwd"} }),
			KindInvalid, "is a link"},
		"a link within": {pack(func(c *chartrepo.Chart) { c.Links = map[string]string{"crds/x.yaml": "widgets.yaml"} }),
			KindInvalid, "is a link"},
		"no archive": {[]byte("text"), KindInvalid, "not a chart archive"},
		"no chart":   {zeros(t, 1), KindInvalid, "Chart.yaml"},
		"another chart": {pack(func(c *chartrepo.Chart) { c.Files["Chart.yaml"] = "apiVersion: v2\nname: gadgets\nversion: 4.0.0\n" }),
			KindInvalid, "the file Chart.yaml contains a different name or version: gadgets 4.0.0"},
		"another version": {pack(func(c *chartrepo.Chart) { c.Files["Chart.yaml"] = "apiVersion: v2\nname: widgets\nversion: 4.0.1\n" }),
			KindInvalid, "widgets 4.0.1"},
		"an invalid Chart.yaml": {pack(func(c *chartrepo.Chart) { c.Files["Chart.yaml"] = "a: [" }), KindInvalid, "chart widgets 4.0.0"},
		"unpacked a large file": {zeros(t, 17<<20), KindTooLarge, "is larger than 16 MiB"},
	} {
		w.https.AddArchive("widgets", "4.0.0", test.archive)
		_, err := w.registry.AddArchive(t.Context(), "widgets", "4.0.0", test.archive)
		require.NoError(t, err)
		w.clock.SetTime(w.clock.Now().Add(w.client.options.IndexLife * 2))
		for where, place := range w.places() {
			got, err := w.client.Fetch(t.Context(), place.repository, "widgets", "4.0.0")
			require.NoError(t, err, "%s, %s", name, where)
			_, err = got.CRDs(t.Context(), bundle.ChartOptions{})
			require.Error(t, err, "%s, %s", name, where)
			assert.Equal(t, test.kind, KindOf(err), "%s, %s: %v", name, where, err)
			assert.ErrorContains(t, err, test.want, "%s, %s", name, where)
			assert.NotContains(t, err.Error(), "\n")
			assert.NotEqual(t, KindUnreachable, KindOf(err))
		}
	}
}

// TestFetch_LargeArchive checks that an archive of 100 MB is not read to its end, and not at all if its length is
// known.
func TestFetch_LargeArchive(t *testing.T) {
	w := newWorld(t)
	written := make(chan int, 1)
	w.https.Fail(".tgz", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Length", strconv.Itoa(100<<20))
		n := 0
		for chunk := make([]byte, 1<<20); n < 100<<20; {
			sent, err := out.Write(chunk)
			if n += sent; err != nil {
				break
			}
		}
		written <- n
	})
	_, err := w.client.Fetch(t.Context(), Repository{URL: w.https.URL()}, "widgets", "1.10.0")
	require.Equal(t, KindTooLarge, KindOf(err), err)
	assert.ErrorContains(t, err, "chart widgets 1.10.0 is larger than 20 MiB")
	assert.Less(t, <-written, 20<<20)
}

func TestFetch_WrongDigest(t *testing.T) {
	w := newWorld(t)
	other, err := chartrepo.Pack(widgets("1.10.0"))
	require.NoError(t, err)
	other = append(other, 0) // gzip ignores trailing data
	require.NoError(t, w.https.Announce("widgets", "1.10.0", strings.Repeat("ab", 32), ""))
	w.registry.Fail("/blobs/"+digestOf(other[:len(other)-1]), chartrepo.Status(200, string(other)))
	for where, place := range w.places() {
		_, err := w.client.Fetch(t.Context(), place.repository, "widgets", "1.10.0")
		require.Equal(t, KindDigestMismatch, KindOf(err), "%s: %v", where, err)
		assert.ErrorContains(t, err, "it was replaced or modified in transit")
	}
	// A digest as in Helm's own index, and no digest.
	for _, digest := range []string{"sha256:" + strings.ToUpper(strings.TrimPrefix(digestOf(other[:len(other)-1]), "sha256:")), " "} {
		found := index{"widgets": {{Version: "1.10.0", Digest: strings.TrimSpace(digest), URLs: []string{"archives/widgets-1.10.0.tgz"}}}}
		repository := Repository{URL: w.https.URL()}
		client := w.with(Options{})
		client.indexes.put(repository.key(), keptIndex{index: found, at: w.clock.Now()})
		got, err := client.Fetch(t.Context(), repository, "widgets", "1.10.0")
		require.NoError(t, err, digest)
		assert.Equal(t, digestOf(other[:len(other)-1]), got.Digest)
	}
}

func TestCRDs_NoExecutionAndNoNetwork(t *testing.T) {
	w := newWorld(t)
	w.add(chartrepo.Chart{Name: "curious", Version: "1.0.0", Files: map[string]string{
		"templates/a.yaml": `{{ if not (lookup "v1" "Secret" "kube-system" "") }}` + "\n" + definition("lookups") + "{{ end }}",
		"templates/b.yaml": `{{ if eq (getHostByName "localhost") "" }}` + "\n" + definition("hosts") + "{{ end }}",
		"templates/c.yaml": `{{ if .Values.more }}` + "\n" + definition("extras") + "{{ end }}",
		"templates/d.yaml": `{{ if .Values.fail }}{{ required "say which" .Values.missing }}{{ end }}`,
	}})
	names := func(archive *Archive, values ...map[string]any) []string {
		set, err := archive.CRDs(t.Context(), bundle.ChartOptions{ValueMaps: values})
		require.NoError(t, err)
		var found []string
		for _, member := range set.Members {
			found = append(found, member.CRD.Spec.Names.Plural)
		}
		return found
	}
	for where, place := range w.places() {
		got, err := w.client.Fetch(t.Context(), place.repository, "curious", "1.0.0")
		require.NoError(t, err, where)
		assert.Equal(t, []string{"lookups", "hosts"}, names(got))
		on := map[string]any{"more": true, "nested": map[string]any{"a": "b"}}
		assert.Equal(t, []string{"lookups", "hosts", "extras"}, names(got, on))
		assert.Equal(t, []string{"lookups", "hosts"}, names(got, on, map[string]any{"more": false, "nested": map[string]any{"c": "d"}}))
		assert.Equal(t, map[string]any{"more": true, "nested": map[string]any{"a": "b"}}, on, "values are not changed")

		_, err = got.CRDs(t.Context(), bundle.ChartOptions{ValueMaps: []map[string]any{{"fail": true}}, GivenBy: "in spec.values"})
		require.ErrorContains(t, err, "chart curious 1.0.0: render templates (set the required values in spec.values)")
		assert.Equal(t, KindUnrenderable, KindOf(err))
	}
}

func FuzzArchive(f *testing.F) {
	for _, chart := range []chartrepo.Chart{
		widgets("1.0.0"), {Name: "a", Version: "1.0.0", Raw: map[string]string{"../x": "y"}}, {Name: "a", Version: "1.0.0",
			Links: map[string]string{"b": "c"}},
		{Name: "a", Version: "1.0.0", Files: map[string]string{"templates/t.yaml": "{{ .Values.x }}", "values.yaml": "x: 1",
			"charts/b/Chart.yaml": "name: b"}},
	} {
		packed, err := chartrepo.Pack(chart)
		if err != nil {
			f.Fatal(err)
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			f.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(unpacked); err != nil {
			f.Fatal(err)
		}
		f.Add(content.Bytes())
	}
	// The tar is fuzzed, because most changes of the gzip do not unpack.
	f.Fuzz(func(t *testing.T, content []byte) {
		var packed bytes.Buffer
		compressed := gzip.NewWriter(&packed)
		if _, err := compressed.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := compressed.Close(); err != nil {
			t.Fatal(err)
		}
		archive := &Archive{Name: "widgets", Version: "1.0.0", Packed: packed.Bytes()}
		if _, err := archive.CRDs(t.Context(), bundle.ChartOptions{}); err != nil && (KindOf(err) == "" ||
			strings.ContainsAny(err.Error(), "\r\n")) {
			t.Fatalf("%q", err)
		}
	})
}
