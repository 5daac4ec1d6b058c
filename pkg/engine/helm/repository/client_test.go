// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func TestVersions_NewestFirst(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{"latest", "1.2"} { // neither is a semantic version
		_, err := w.registry.AddArchive(t.Context(), "widgets", version, []byte("x"))
		require.NoError(t, err)
		w.https.AddArchive("widgets", version, []byte("x"))
	}
	for name, place := range w.places() {
		got, err := w.client.Versions(t.Context(), place.repository, "widgets")
		require.NoError(t, err, name)
		assert.Equal(t, []string{"v2.0.0", "2.0.0-rc.1", "1.10.0+build.7", "1.10.0", "1.9.0"}, got, name)
	}
}

func TestFetch(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{"1.10.0", "v2.0.0", "1.10.0+build.7"} {
		inRepository, err := w.https.Add(widgets(version))
		require.NoError(t, err)
		inRegistry, err := w.registry.Add(t.Context(), widgets(version))
		require.NoError(t, err)
		for name, digest := range map[string]string{"https": inRepository, "oci": inRegistry} {
			got, err := w.client.Fetch(t.Context(), w.places()[name].repository, "widgets", version)
			require.NoError(t, err, name)
			assert.Equal(t, digest, got.Digest, name)
			same, err := w.client.Digest(t.Context(), w.places()[name].repository, "widgets", version)
			require.NoError(t, err, name)
			assert.Equal(t, digest, same, name)
			_, err = w.client.Digest(t.Context(), w.places()[name].repository, "widgets", "9.9.9")
			assert.True(t, isMissing(err, MissingVersion), name)
			set, err := got.CRDs(t.Context(), bundle.ChartOptions{})
			require.NoError(t, err, name)
			require.Len(t, set.Members, 1)
			assert.Equal(t, "widgets.example.com", set.Members[0].CRD.Name)
		}
	}
}

// TestClient_Errors checks errors that are equal for both kinds of repositories. Errors must not contain a body
// with "secret".
func TestClient_Errors(t *testing.T) {
	const secret = "body-s3cr3t"
	envelope := `{"errors":[{"code":"DENIED","message":"` + secret + `"}]}`
	w := newWorld(t)
	other := w.another()
	for _, test := range []struct {
		name    string
		fault   chartrepo.Fault
		options Options
		archive bool // the fault affects the archive, not the list
		kind    Kind
		missing Missing
		want    string
	}{
		{name: "503", fault: chartrepo.Status(http.StatusServiceUnavailable, secret), kind: KindUnreachable, want: "the repository returned 503"},
		{name: "429", fault: chartrepo.Status(http.StatusTooManyRequests, secret), archive: true, kind: KindUnreachable,
			want: "the repository returned 429"},
		{name: "401", fault: chartrepo.Status(http.StatusUnauthorized, secret), kind: KindUnauthorized, want: "the repository returned 401"},
		{name: "403 with a code", fault: chartrepo.Status(http.StatusForbidden, envelope), kind: KindUnauthorized,
			want: "the repository returned 403 DENIED"},
		{name: "403 of an archive", fault: chartrepo.Status(http.StatusForbidden, envelope), archive: true,
			kind: KindUnauthorized, want: "403 DENIED"},
		{name: "404 of an archive", fault: chartrepo.Status(http.StatusNotFound, secret), archive: true, kind: KindNotFound,
			missing: MissingVersion, want: "version does not exist"},
		{name: "410 of an archive", fault: chartrepo.Status(http.StatusGone, secret), archive: true, kind: KindNotFound, missing: MissingVersion,
			want: "the repository returned 410"},
		{name: "418", fault: chartrepo.Status(http.StatusTeapot, secret), kind: KindInvalid, want: "check that the URL is a chart repository"},
		{name: "a page of HTML", fault: chartrepo.Status(http.StatusOK, "<html>"+secret+"</html>"), kind: KindInvalid, want: "is not a"},
		{name: "a dropped connection", fault: chartrepo.Drop(), kind: KindUnreachable, want: "the connection was closed"},
		{name: "a slow body", fault: chartrepo.Slow(), options: Options{Timeout: 300 * time.Millisecond}, kind: KindUnreachable,
			want: "timed out before the response was complete"},
		{name: "a slow archive", fault: chartrepo.Slow(), options: Options{Timeout: 300 * time.Millisecond}, archive: true,
			kind: KindUnreachable, want: "timed out before the response was complete"},
		{name: "an endless body", fault: chartrepo.Endless(), kind: KindTooLarge, want: "is larger than"},
		{name: "an endless archive", fault: chartrepo.Endless(), archive: true, kind: KindTooLarge, want: "is larger than"},
		{name: "a redirect without TLS", fault: chartrepo.RedirectTo("http://" + other.Host()), kind: KindInvalid,
			want: "does not begin with https://"},
		{name: "redirects without end", fault: chartrepo.RedirectTo(""), kind: KindInvalid, want: "more than 5 redirects"},
		{name: "an authority that is not trusted", options: Options{RootCAs: x509.NewCertPool()}, kind: KindUnreachable,
			want: "an authority that is not trusted"},
	} {
		for where, place := range w.places() {
			t.Run(test.name+", "+where, func(t *testing.T) {
				defer place.front.Heal()
				client, end := w.with(test.options), place.list
				if test.archive {
					end = place.archive
				}
				if test.fault != nil {
					place.front.Fail(end, test.fault)
				}
				var err error
				if test.archive {
					_, err = client.Fetch(t.Context(), place.repository, "widgets", "1.10.0")
				} else {
					_, err = client.Versions(t.Context(), place.repository, "widgets")
				}
				require.Error(t, err)
				assert.Equal(t, test.kind, KindOf(err), err)
				assert.Equal(t, test.missing != "", isMissing(err, test.missing))
				assert.ErrorContains(t, err, test.want)
				assert.ErrorContains(t, err, "chart repository "+place.repository.URL)
				assert.NotContains(t, err.Error(), secret)
			})
		}
	}
}

func TestAddressesAreGuarded(t *testing.T) {
	w := newWorld(t)
	client := New(Options{RootCAs: w.roots})
	for where, place := range w.places() {
		_, err := client.Versions(t.Context(), place.repository, "widgets")
		require.Error(t, err, where)
		assert.Equal(t, KindRefused, KindOf(err), err)
		assert.ErrorContains(t, err, "allowed by --allow-loopback")
		assert.NotEqual(t, KindUnreachable, KindOf(err))
	}
	client = New(Options{})
	_, err := client.Versions(t.Context(), Repository{URL: "https://10.1.2.3/charts"}, "widgets")
	require.ErrorContains(t, err, "--allow-private=charts")
}

func TestVersions_Unreachable(t *testing.T) {
	w := newWorld(t)
	for _, scheme := range []string{"https://", "oci://"} {
		// No process listens on the first port, while another process may use a released port immediately.
		_, err := w.client.Versions(t.Context(), Repository{URL: scheme + "127.0.0.1:1"}, "widgets")
		require.Error(t, err)
		assert.Equal(t, KindUnreachable, KindOf(err))
		assert.Regexp(t, `: dial: connect: connection (refused|reset by peer)$`, err.Error(), "no port of ours, which would differ each time")
	}
	_, err := w.client.Versions(t.Context(), Repository{URL: "https://no-such-host.invalid"}, "widgets")
	require.ErrorContains(t, err, "host name no-such-host.invalid")
	assert.Equal(t, KindUnreachable, KindOf(err))
}

func TestRetryAfter(t *testing.T) {
	w := newWorld(t)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "99999999": time.Hour, "-1": 0, "soon": 0, "": 0,
		w.clock.Now().Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
	} {
		w.https.Fail("/index.yaml", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Retry-After", value)
			out.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := w.client.Versions(t.Context(), Repository{URL: w.https.URL()}, "widgets")
		var found *Error
		require.ErrorAs(t, err, &found)
		assert.Equal(t, want, found.RetryAfter, value)
	}
}

func TestClient_NotFound(t *testing.T) {
	w := newWorld(t)
	for where, place := range w.places() {
		_, err := w.client.Versions(t.Context(), place.repository, "gadgets")
		assert.True(t, isMissing(err, MissingChart), "%s: %v", where, err)
		_, err = w.client.Fetch(t.Context(), place.repository, "widgets", "3.0.0")
		assert.True(t, isMissing(err, MissingVersion), "%s: %v", where, err)
	}
	_, err := w.client.Fetch(t.Context(), Repository{URL: w.https.URL()}, "widgets", "2.0.0")
	require.ErrorContains(t, err, `use "v2.0.0" as written in the index`)
	_, err = w.client.Versions(t.Context(), Repository{URL: w.https.URL() + "/elsewhere"}, "widgets")
	assert.True(t, isMissing(err, MissingRepository), err)
	_, err = w.client.Versions(t.Context(), Repository{URL: "oci://" + w.https.Host()}, "widgets")
	assert.True(t, isMissing(err, MissingRepository), err)
}

func TestClient_InvalidURLs(t *testing.T) {
	client := New(Options{})
	for url, want := range map[string]string{
		"http://charts.example.com":           "it must begin with https:// or oci://",
		"file:///etc":                         "it must begin with",
		"https://user:hunter2@example.com":    "it contains a user name or password",
		"https://":                            "it has no host",
		"https://example.com/charts?token=hu": "it has a query",
		"https://example.com/%zz":             "it is not a valid URL",
		"oci://example.com/UPPER":             "is not a valid repository of a registry",
		"oci://docker.io/library":             "use the host that serves the registry",
	} {
		for _, ask := range []func() error{
			func() error { _, err := client.Versions(t.Context(), Repository{URL: url}, "widgets"); return err },
			func() error {
				_, err := client.Fetch(t.Context(), Repository{URL: url}, "widgets", "1.0.0")
				return err
			},
		} {
			err := ask()
			require.ErrorContains(t, err, want, url)
			assert.Equal(t, KindInvalid, KindOf(err))
			assert.NotContains(t, err.Error(), "hunter2")
		}
	}
}

func TestClient_ContextCanceled(t *testing.T) {
	w := newWorld(t)
	client := w.with(Options{Timeout: 10 * time.Second})
	for where, place := range w.places() {
		place.front.Fail(place.list, chartrepo.Slow())
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := client.Versions(ctx, place.repository, "widgets")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, where)
		assert.Empty(t, KindOf(err))
	}
}

func TestCredentialsAreNeverShown(t *testing.T) {
	given := BasicAuth("u5er", "hunter2")
	encoded, err := json.Marshal(given)
	require.NoError(t, err)
	repository := Repository{URL: "https://example.com", Credentials: given}
	for _, shown := range []string{
		string(encoded), fmt.Sprint(given), fmt.Sprintf("%+v %#v", given, given), fmt.Sprintf("%+v %#v %s", repository, repository, repository),
		fmt.Sprint(given.MarshalLog()),
	} {
		assert.NotContains(t, shown, "hunter2")
		assert.NotContains(t, strings.ToLower(shown), "u5er")
	}
}

// isMissing reports whether err is a KindNotFound error for what is missing.
func isMissing(err error, what Missing) bool {
	found, ok := errors.AsType[*Error](err)
	return ok && found.Kind == KindNotFound && found.Missing == what
}
