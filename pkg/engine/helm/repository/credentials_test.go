// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

var login = BasicAuth("u5er", "hunter2")

// noneWithCredentials requires that a server received requests, and none with credentials.
func noneWithCredentials(t *testing.T, requests []chartrepo.Request) {
	t.Helper()
	require.NotEmpty(t, requests)
	for _, request := range requests {
		assert.Empty(t, request.Authorization, request.Path)
	}
}

func TestClient_Credentials(t *testing.T) {
	w := newWorld(t)
	for where, place := range w.places() {
		place.front.RequireLogin("u5er", "hunter2")
		_, err := w.client.Versions(t.Context(), place.repository, "widgets")
		require.Equal(t, KindUnauthorized, KindOf(err), where)

		with := place.repository
		with.Credentials = BasicAuth("u5er", "wrong-pa55word")
		_, err = w.client.Versions(t.Context(), with, "widgets")
		require.Equal(t, KindUnauthorized, KindOf(err), where)
		assert.NotContains(t, err.Error(), "pa55word")

		with.Credentials = login
		_, err = w.client.Versions(t.Context(), with, "widgets")
		require.NoError(t, err, where)
		_, err = w.client.Fetch(t.Context(), with, "widgets", "1.10.0")
		require.NoError(t, err, where)
	}
}

// TestIndexesAreNotSharedBetweenUsers checks that an index of one user is not returned to another from the cache.
func TestIndexesAreNotSharedBetweenUsers(t *testing.T) {
	w := newWorld(t)
	w.https.RequireLogin("u5er", "hunter2")
	_, err := w.client.Versions(t.Context(), Repository{URL: w.https.URL(), Credentials: login}, "widgets")
	require.NoError(t, err)
	for _, other := range []Credentials{{}, BasicAuth("u5er", "wrong"), BasicAuth("u5erh", "unter2")} {
		_, err = w.client.Versions(t.Context(), Repository{URL: w.https.URL(), Credentials: other}, "widgets")
		require.Equal(t, KindUnauthorized, KindOf(err))
	}
}

func TestTokenService_SameHostGetsCredentials(t *testing.T) {
	w := newWorld(t)
	w.registry.RequireToken("u5er", "hunter2", "")
	repository := Repository{URL: w.registry.URL(), Credentials: login}
	_, err := w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
	require.NoError(t, err)
	_, err = w.client.Versions(t.Context(), repository, "widgets")
	require.NoError(t, err)
	_, err = w.client.Versions(t.Context(), Repository{URL: w.registry.URL()}, "widgets")
	require.Equal(t, KindUnauthorized, KindOf(err))
}

func TestTokenService_OtherHostGetsNoCredentials(t *testing.T) {
	w := newWorld(t)
	other := w.another()
	other.RequireToken("u5er", "hunter2", "")
	// A name is used because go-containerregistry itself rejects other local addresses.
	_, port, _ := splitHost(other.Host())
	w.registry.RequireToken("u5er", "hunter2", "https://localhost:"+port+"/token")
	_, err := w.client.Versions(t.Context(), Repository{URL: w.registry.URL(), Credentials: login}, "widgets")
	require.Equal(t, KindUnauthorized, KindOf(err), err)
	assert.ErrorContains(t, err, "the token service is at localhost:"+port)
	noneWithCredentials(t, other.Requests("/token"))
}

func TestRedirects_OtherHostGetsNoCredentials(t *testing.T) {
	w := newWorld(t)
	w.https.RequireLogin("u5er", "hunter2")
	other := w.another()
	_, err := other.Add(widgets("1.10.0"))
	require.NoError(t, err)
	w.https.Fail("/index.yaml", chartrepo.RedirectTo(other.URL()))
	w.https.Fail(".tgz", chartrepo.RedirectTo(other.URL()))
	repository := Repository{URL: w.https.URL(), Credentials: login}
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
	require.NoError(t, err)
	noneWithCredentials(t, other.Requests(""))
	require.Len(t, other.Requests(".tgz"), 1)

	// Registries often redirect to another host for blobs.
	w.registry.RequireLogin("u5er", "hunter2")
	archive, err := chartrepo.Pack(widgets("1.10.0"))
	require.NoError(t, err)
	other.Fail("", chartrepo.Status(http.StatusOK, string(archive)))
	w.registry.Fail(digestOf(archive), chartrepo.RedirectTo(other.URL()))
	_, err = w.client.Fetch(t.Context(), Repository{URL: w.registry.URL(), Credentials: login}, "widgets", "1.10.0")
	require.NoError(t, err)
	noneWithCredentials(t, other.Requests(""))
}

func TestIndexURLs_OtherHostGetsNoCredentials(t *testing.T) {
	w := newWorld(t)
	w.https.RequireLogin("u5er", "hunter2")
	other := w.another()
	_, err := other.Add(widgets("1.10.0"))
	require.NoError(t, err)
	require.NoError(t, w.https.Announce("widgets", "1.10.0", "", other.URL()+"/archives/widgets-1.10.0.tgz"))
	repository := Repository{URL: w.https.URL(), Credentials: login}
	_, err = w.client.Fetch(t.Context(), repository, "widgets", "1.10.0")
	require.NoError(t, err)
	noneWithCredentials(t, other.Requests(""))
}

func TestIndexURLs_Invalid(t *testing.T) {
	w := newWorld(t)
	for url, want := range map[string]string{
		"http://example.com/x.tgz":             "it does not begin with https://",
		"file:///etc/passwd":                   "it does not begin with https://",
		"https://u:hunter2@example.com/x.tgz":  "it contains a user name or password",
		"oci://registry.example.com/x:1.0.0":   "the chart is in the registry registry.example.com; use that registry as the repository",
		"https://example.com/%zz":              "it is not a valid URL",
		"https://10.1.2.3/x.tgz":               "--allow-private=charts",
		"https://169.254.169.254/latest/x.tgz": "link-local",
	} {
		require.NoError(t, w.https.Announce("widgets", "1.10.0", "", url))
		_, err := New(Options{RootCAs: w.roots, Dial: w.client.options.Dial, Clock: w.clock}).Fetch(t.Context(),
			Repository{URL: w.https.URL()}, "widgets", "1.10.0")
		require.ErrorContains(t, err, want, url)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestFromDockerConfig(t *testing.T) {
	auth := base64.StdEncoding.EncodeToString([]byte("carol:c4rol:pw"))
	config := []byte(`{"auths": {
		"ghcr.io": {"username": "alice", "password": "al1ce"},
		"https://ghcr.io/team/": {"username": "bob", "password": "b0b"},
		"registry.example.com:5000": {"auth": "` + auth + `"},
		"https://index.docker.io/v1/": {"username": "hub", "password": "hubpw"},
		"broken.example.com": {"auth": "%%%"}, "empty.example.com": {}, "::": {"username": "x"}
	}}`)
	for url, want := range map[string]Credentials{
		"oci://ghcr.io/others":                   BasicAuth("alice", "al1ce"),
		"https://GHCR.io:443/others":             BasicAuth("alice", "al1ce"),
		"oci://ghcr.io/team":                     BasicAuth("bob", "b0b"),
		"oci://ghcr.io/team/charts":              BasicAuth("bob", "b0b"),
		"oci://ghcr.io/teams":                    BasicAuth("alice", "al1ce"),
		"oci://registry.example.com:5000/charts": BasicAuth("carol", "c4rol:pw"),
		"oci://registry-1.docker.io/bitnami":     BasicAuth("hub", "hubpw"),
	} {
		got, err := FromDockerConfig(config, url)
		require.NoError(t, err, url)
		assert.True(t, got == want, url)
	}
	for url, want := range map[string]string{
		"oci://registry.example.com/charts": "auths has no entry for registry.example.com",
		"oci://evil-ghcr.io/team":           "auths has no entry for evil-ghcr.io",
		"oci://ghcr.io.evil.example/team":   "auths has no entry for ghcr.io.evil.example",
		"oci://broken.example.com":          "entry for broken.example.com has neither",
		"oci://empty.example.com":           "entry for empty.example.com has neither",
		"ftp://ghcr.io":                     "it must begin with",
	} {
		_, err := FromDockerConfig(config, url)
		require.ErrorContains(t, err, want, url)
	}
	for _, content := range []string{"", "hunter2", "{}", `{"auths": ["hunter2"]}`} {
		_, err := FromDockerConfig([]byte(content), "oci://ghcr.io")
		require.ErrorIs(t, err, errNoDockerConfig, content)
	}
}
