// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/fakes/privateca"
)

// definition returns a CustomResourceDefinition of example.com.
func definition(plural string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ` + plural + `.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ` + plural + `, kind: ` + strings.ToUpper(plural[:1]) + plural[1:] + `}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
`
}

// widgets returns a chart with one CRD.
func widgets(version string) chartrepo.Chart {
	return chartrepo.Chart{Name: "widgets", Version: version, Files: map[string]string{"crds/widgets.yaml": definition("widgets")}}
}

// world contains a repository and a registry, and a client that trusts both.
type world struct {
	*testing.T
	client   *Client
	clock    *clocktesting.FakePassiveClock
	https    *chartrepo.Repository
	registry *chartrepo.Registry
	serving  *tls.Config
	roots    *x509.CertPool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	w := &world{T: t, serving: serving, roots: x509.NewCertPool(), clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1,
		2, 3, 4, 5, 0, time.UTC))}
	require.True(t, w.roots.AppendCertsFromPEM(authority))
	w.https = w.another()
	w.registry, err = chartrepo.NewRegistry(serving, authority)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.registry.Close() })
	w.client = w.with(Options{})
	for _, version := range []string{"1.9.0", "1.10.0", "v2.0.0", "2.0.0-rc.1", "1.10.0+build.7"} {
		w.add(widgets(version))
	}
	return w
}

func (w *world) another() *chartrepo.Repository {
	w.Helper()
	repository, err := chartrepo.NewRepository(w.serving)
	require.NoError(w, err)
	w.Cleanup(func() { _ = repository.Close() })
	return repository
}

// with returns a client with other options that may dial the loopback address.
func (w *world) with(options Options) *Client {
	options.Dial.AllowLoopback = true
	if options.RootCAs == nil {
		options.RootCAs = w.roots
	}
	options.Clock = w.clock
	client := New(options)
	w.Cleanup(client.Close)
	return client
}

// add adds a chart to the repository and the registry.
func (w *world) add(chart chartrepo.Chart) {
	w.Helper()
	_, err := w.https.Add(chart)
	require.NoError(w, err)
	_, err = w.registry.Add(w.Context(), chart)
	require.NoError(w, err)
}

// place is the repository or the registry, with the names of its requests.
type place struct {
	repository Repository
	front      interface {
		Fail(string, chartrepo.Fault)
		Heal()
		Requests(string) []chartrepo.Request
		RequireLogin(string, string)
	}
	// list and archive are the suffixes of the paths for versions and archives.
	list, archive string
}

func (w *world) places() map[string]place {
	return map[string]place{
		"https": {Repository{URL: w.https.URL()}, w.https, "/index.yaml", "/widgets-1.10.0.tgz"},
		"oci":   {Repository{URL: w.registry.URL()}, w.registry, "/tags/list", "/manifests/1.10.0"},
	}
}
