// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func splitHost(hostPort string) (string, string, error) { return net.SplitHostPort(hostPort) }

func TestVersions_SeveralPagesOfTags(t *testing.T) {
	w := newWorld(t)
	next := `</v2/charts/widgets/tags/list?n=1000&last=b>; rel="next"`
	pages := func(link string) chartrepo.Fault {
		return func(out http.ResponseWriter, in *http.Request) {
			if in.URL.Query().Get("last") == "" {
				out.Header().Set("Link", link)
				_, _ = fmt.Fprint(out, `{"tags":["1.0.0","1.1.0_build.1"]}`)
				return
			}
			_, _ = fmt.Fprint(out, `{"tags":["2.0.0"]}`)
		}
	}
	w.registry.Fail("/tags/list", pages(next))
	repository := Repository{URL: w.registry.URL()}
	got, err := w.client.Versions(t.Context(), repository, "widgets")
	require.NoError(t, err)
	assert.Equal(t, []string{"2.0.0", "1.1.0+build.1", "1.0.0"}, got)

	w.registry.Fail("/tags/list", pages(`<https://example.com/v2/charts/widgets/tags/list?last=b>; rel="next"`))
	_, err = w.client.Versions(t.Context(), repository, "widgets")
	require.ErrorContains(t, err, "the next page of tags is on a different host")

	w.registry.Fail("/tags/list", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Link", next)
		_, _ = fmt.Fprint(out, `{"tags":["1.0.0"]}`)
	})
	_, err = w.client.Versions(t.Context(), repository, "widgets")
	require.Equal(t, KindTooLarge, KindOf(err), err)
}

func TestPull_InvalidManifests(t *testing.T) {
	w := newWorld(t)
	repository := Repository{URL: w.registry.URL()}
	layer := static.NewLayer([]byte("x"), types.DockerLayer)
	_, err := w.registry.AddManifest(t.Context(), "widgets", "5.0.0", static.NewLayer([]byte("{}"), types.DockerConfigJSON), layer)
	require.NoError(t, err)
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "5.0.0")
	require.ErrorContains(t, err, `is not a manifest of a Helm chart ("application/vnd.docker.container.image.v1+json")`)

	for name, test := range map[string]struct {
		content string
		kind    Kind
		want    string
	}{
		"an index": {`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`, KindInvalid,
			"is an index of several"},
		"no JSON":       {"<html>", KindInvalid, "cannot be decoded"},
		"another sum":   {layerOf("sha512:"+strings.Repeat("ab", 64), 7), KindInvalid, "does not have a sha256 digest"},
		"a large layer": {layerOf("sha256:"+strings.Repeat("ab", 32), 100<<20), KindTooLarge, "larger than 20 MiB"},
		"a lost layer":  {layerOf("sha256:"+strings.Repeat("ab", 32), 7), KindNotFound, "404 BLOB_UNKNOWN"},
	} {
		w.registry.Fail("/manifests/1.10.0", chartrepo.Status(http.StatusOK, test.content))
		_, err := w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
		require.ErrorContains(t, err, test.want, name)
		assert.Equal(t, test.kind, KindOf(err), name)
	}
	w.registry.Fail("/manifests/1.10.0", func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Docker-Content-Digest", "sha256:"+strings.Repeat("ab", 32))
		_, _ = fmt.Fprint(out, layerOf("sha256:"+strings.Repeat("ab", 32), 7))
	})
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
	require.Equal(t, KindDigestMismatch, KindOf(err), err)

	_, err = w.client.Fetch(t.Context(), repository, "widgets", "1.0.0/../../x")
	require.ErrorContains(t, err, "is not a valid tag")
}

func layerOf(digest string, size int64) string {
	return fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"x",`+
		`"digest":%q,"size":1},"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":%q,"size":%d}]}`,
		"sha256:"+strings.Repeat("cd", 32), digest, size)
}

func TestLogin_Errors(t *testing.T) {
	const secret = "body-s3cr3t"
	w := newWorld(t)
	repository := Repository{URL: w.registry.URL(), Credentials: login}
	for name, test := range map[string]struct {
		fault chartrepo.Fault
		kind  Kind
		want  string
	}{
		"503": {chartrepo.Status(http.StatusServiceUnavailable, secret), KindUnreachable,
			"logging in to the registry: the repository returned 503"},
		"403": {chartrepo.Status(http.StatusForbidden, `{"errors":[{"code":"DENIED","message":"`+secret+`"}]}`),
			KindUnauthorized, "403 DENIED"},
		"no connection":       {chartrepo.Drop(), KindUnreachable, "the connection was closed"},
		"no realm":            {challenge(`Bearer service="x"`), KindInvalid, "no usable token service"},
		"a realm without TLS": {challenge(`Bearer realm="http://example.com/token"`), KindInvalid, "no usable token service"},
		"a local realm":       {challenge(`Bearer realm="https://169.254.169.254/token"`), KindInvalid, "no usable token service"},
		"no token":            {challenge(`Bearer realm="https://` + w.registry.Host() + `/none"`), KindInvalid, "returned no token"},
		"another scheme":      {challenge("Negotiate"), KindUnauthorized, "the repository returned 401"},
	} {
		w.registry.Fail("/none", chartrepo.Status(http.StatusOK, `{"not":"`+secret+`"}`))
		w.registry.Fail("/v2/", test.fault)
		if name == "another scheme" {
			w.registry.Fail("/tags/list", test.fault)
		}
		_, err := w.client.Versions(t.Context(), repository, "widgets")
		require.ErrorContains(t, err, test.want, name)
		assert.Equal(t, test.kind, KindOf(err), "%s: %v", name, err)
		assert.NotContains(t, err.Error(), secret)
		assert.NotContains(t, err.Error(), "hunter2")
		w.registry.Heal()
	}
}

func challenge(header string) chartrepo.Fault {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("WWW-Authenticate", header)
		out.WriteHeader(http.StatusUnauthorized)
	}
}
