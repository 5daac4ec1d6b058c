// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/semver"
)

const digestPrefix = "sha256:"

// indexVersions returns the versions of a chart in an index.
func (c *Client) indexVersions(ctx context.Context, repository Repository, at *url.URL, name string) ([]string, error) {
	_, entries, err := c.entries(ctx, repository, at, name, "")
	if err != nil {
		return nil, err
	}
	versions := make([]string, len(entries))
	for i := range entries {
		versions[i] = entries[i].Version
	}
	return versions, nil
}

// entries returns the entries of a chart in the index, and that of the version unless it is empty. If the index lacks it,
// the index is requested again.
func (c *Client) entries(ctx context.Context, repository Repository, at *url.URL, name, version string) (*entry, []entry, error) {
	found, err := c.index(ctx, repository, at, c.options.IndexLife)
	if err != nil {
		return nil, nil, err
	}
	one, missing := found.find(name, version)
	if missing != nil {
		if found, err = c.index(ctx, repository, at, min(againAfter, c.options.IndexLife)); err != nil {
			return nil, nil, err
		}
		one, missing = found.find(name, version)
	}
	if missing != nil {
		return nil, nil, missing
	}
	return one, found[name], nil
}

// find returns the entry of a version, or an error with what is missing.
func (i index) find(name, version string) (*entry, error) {
	entries := i[name]
	if len(entries) == 0 {
		return nil, &Error{Kind: KindNotFound, Missing: MissingChart, Message: fmt.Sprintf("the index contains no chart %q", name)}
	}
	if version == "" {
		return nil, nil
	}
	alike := ""
	for n := range entries {
		if entries[n].Version == version {
			return &entries[n], nil
		}
		if semver.Equal(entries[n].Version, version) {
			alike = fmt.Sprintf("; use %q as written in the index", entries[n].Version)
		}
	}
	return nil, &Error{Kind: KindNotFound, Missing: MissingVersion,
		Message: fmt.Sprintf("the index contains no version %q of chart %q%s", version, name, alike)}
}

// download downloads an archive from the location in the index.
func (c *Client) download(ctx context.Context, repository Repository, at *url.URL, name, version string) (*Archive, error) {
	one, _, err := c.entries(ctx, repository, at, name, version)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("chart %s %s", name, version)
	from, err := one.location(at, what)
	if err != nil {
		return nil, err
	}
	got, err := c.get(ctx, getting{
		http: over(c.guarded(at, repository.Credentials)), url: from.String(), limit: MaxArchive, what: what, missing: MissingVersion,
	})
	if err != nil {
		return nil, err
	}
	digest := digestOf(got.body)
	if wanted := one.digest(); wanted != "" && wanted != digest {
		return nil, mismatch(what, "the index", wanted, digest)
	}
	return &Archive{Name: name, Version: version, Digest: digest, Packed: got.body}, nil
}

// digest returns the digest in the index, or "".
func (e *entry) digest() string {
	given := strings.ToLower(strings.TrimPrefix(e.Digest, digestPrefix))
	if given == "" {
		return ""
	}
	return digestPrefix + given
}

func (c *Client) indexDigest(ctx context.Context, repository Repository, at *url.URL, name, version string) (string, error) {
	one, _, err := c.entries(ctx, repository, at, name, version)
	if err != nil {
		return "", err
	}
	return one.digest(), nil
}

// location returns the URL of an archive, which may be relative to the repository's URL.
func (e *entry) location(at *url.URL, what string) (*url.URL, error) {
	invalid := func(why string) error {
		return &Error{Kind: KindInvalid, Message: fmt.Sprintf("URL of %s in the index is rejected: %s", what, why)}
	}
	if len(e.URLs) == 0 {
		return nil, invalid("it is missing")
	}
	given, err := url.Parse(e.URLs[0])
	if err != nil {
		return nil, invalid("it is not a valid URL")
	}
	from := at.ResolveReference(given)
	switch {
	case from.Scheme == schemeOCI:
		return nil, invalid(fmt.Sprintf("the chart is in the registry %s; use that registry as the repository", from.Host))
	case from.Scheme != schemeHTTPS || from.Host == "":
		return nil, invalid("it does not begin with https://")
	case from.User != nil:
		return nil, invalid("it contains a user name or password")
	}
	return from, nil
}

// mismatch returns the error for content that does not have the expected digest.
func mismatch(what, by, wanted, got string) error {
	return &Error{Kind: KindDigestMismatch,
		Message: fmt.Sprintf("%s has digest %s, but %s contains %s: it was replaced or modified in transit", what, got, by, clean(wanted))}
}
