// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

const digestPrefix = "sha256:"

// indexVersions lists the versions of a chart in an index.
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

// entries finds a chart in the index, and the version unless it is empty. An index that does not hold it is asked for again.
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

// find gives the entry of a version, or an error that says what is missing.
func (i index) find(name, version string) (*entry, error) {
	entries := i[name]
	if len(entries) == 0 {
		return nil, &Error{Kind: KindNotFound, Missing: MissingChart, Message: fmt.Sprintf("its index holds no chart %q", name)}
	}
	if version == "" {
		return nil, nil
	}
	alike := ""
	for n := range entries {
		if entries[n].Version == version {
			return &entries[n], nil
		}
		if sameVersion(entries[n].Version, version) {
			alike = fmt.Sprintf("; there is %q, which has to be written like that", entries[n].Version)
		}
	}
	return nil, &Error{Kind: KindNotFound, Missing: MissingVersion,
		Message: fmt.Sprintf("its index holds no version %q of chart %q%s", version, name, alike)}
}

// download fetches an archive from where the index says.
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

// digest is the one that the index gives, or empty.
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

// location is the URL of an archive, which may be relative to the repository's.
func (e *entry) location(at *url.URL, what string) (*url.URL, error) {
	invalid := func(why string) error {
		return &Error{Kind: KindInvalid, Message: fmt.Sprintf("the URL of %s in its index is refused: %s", what, why)}
	}
	if len(e.URLs) == 0 {
		return nil, invalid("there is none")
	}
	given, err := url.Parse(e.URLs[0])
	if err != nil {
		return nil, invalid("it is no URL")
	}
	from := at.ResolveReference(given)
	switch {
	case from.Scheme == schemeOCI:
		return nil, invalid(fmt.Sprintf("it is in the registry %s; use that as the repository", from.Host))
	case from.Scheme != schemeHTTPS || from.Host == "":
		return nil, invalid("it does not begin with https://")
	case from.User != nil:
		return nil, invalid("it holds a user or password")
	}
	return from, nil
}

// mismatch says that what came is not what was announced.
func mismatch(what, by, wanted, got string) error {
	return &Error{Kind: KindDigestMismatch,
		Message: fmt.Sprintf("%s has digest %s, and %s says %s: it was replaced, or changed on its way", what, got, by, clean(wanted))}
}
