// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// Maximum sizes in bytes.
const (
	MaxIndex   = 50 << 20 // an index.yaml, after decompression
	MaxArchive = 20 << 20 // a packed chart
)

const (
	maxManifest    = 4 << 20 // the limit of registries
	maxTagPage     = 4 << 20
	maxTagPages    = 100 // of a thousand tags each
	maxErrorBody   = 64 << 10
	maxHeaderBytes = 64 << 10
	maxRedirects   = 5
	maxRetryAfter  = time.Hour // larger values of Retry-After are cut
)

// Options are the options of a Client. The zero value is usable; each default is next to its field.
type Options struct {
	Dial    netguard.Policy // which addresses may be dialed; public ones only
	Timeout time.Duration   // of one request, body included; 60 s
	// IndexLife is how long an index is used without another request; 1 min.
	IndexLife time.Duration
	RootCAs   *x509.CertPool // the system's
	// ProxyFromEnvironment uses HTTPS_PROXY and NO_PROXY; Dial then checks the proxy's address only.
	ProxyFromEnvironment bool
	Clock                clock.PassiveClock // the real one
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.IndexLife <= 0 {
		o.IndexLife = time.Minute
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Dial.Engine == "" {
		o.Dial.Engine = "charts"
	}
	return o
}

// Client reads repositories. It is safe for concurrent use; all users of a repository share its index.
type Client struct {
	options Options
	wire    *http.Transport
	indexes *indexes
}

// New returns a client; close it with Close.
func New(options Options) *Client {
	options = options.withDefaults()
	wire := &http.Transport{
		DialContext:            options.Dial.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: options.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		ForceAttemptHTTP2:      true,
	}
	if options.ProxyFromEnvironment {
		wire.Proxy = http.ProxyFromEnvironment
	}
	return &Client{options: options, wire: wire, indexes: newIndexes()}
}

// Close closes idle connections.
func (c *Client) Close() { c.wire.CloseIdleConnections() }

// Versions returns the versions of a chart as written in the repository, the newest first. Versions that are not semantic
// versions (2.0.0; a leading v is allowed) are omitted, so the list may be empty. Errors are an *Error, with MissingChart
// if the chart does not exist.
func (c *Client) Versions(ctx context.Context, repository Repository, name string) ([]string, error) {
	at, err := repository.parse()
	if err != nil {
		return nil, err
	}
	var versions []string
	if at.Scheme == schemeOCI {
		versions, err = c.registryVersions(ctx, repository, at, name)
	} else {
		versions, err = c.indexVersions(ctx, repository, at, name)
	}
	if err != nil {
		return nil, named(repository, err)
	}
	return newestFirst(versions), nil
}

// Fetch downloads one version of a chart, which must be written exactly as in the repository. It does not check the
// content: Archive.CRDs verifies that it is a chart of that name and version. Errors are an *Error.
func (c *Client) Fetch(ctx context.Context, repository Repository, name, version string) (*Archive, error) {
	at, err := repository.parse()
	if err != nil {
		return nil, err
	}
	var archive *Archive
	if at.Scheme == schemeOCI {
		archive, err = c.pull(ctx, repository, at, name, version)
	} else {
		archive, err = c.download(ctx, repository, at, name, version)
	}
	if err != nil {
		return nil, named(repository, err)
	}
	return archive, nil
}

// Digest returns the digest that Fetch would record now, without downloading the archive. It is empty if only the archive
// has it, as for an index without digests. Errors are an *Error.
func (c *Client) Digest(ctx context.Context, repository Repository, name, version string) (string, error) {
	at, err := repository.parse()
	if err != nil {
		return "", err
	}
	var digest string
	if at.Scheme == schemeOCI {
		digest, err = c.manifestDigest(ctx, repository, at, name, version)
	} else {
		digest, err = c.indexDigest(ctx, repository, at, name, version)
	}
	if err != nil {
		return "", named(repository, err)
	}
	return digest, nil
}

// named adds the repository to an error. The error may be shared by several callers, so it is copied.
func named(repository Repository, err error) error {
	found, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	about := *found
	about.Repository = repository.URL
	return &about
}
