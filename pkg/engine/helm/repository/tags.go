// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// registryVersions returns the tags of a chart as versions.
func (c *Client) registryVersions(ctx context.Context, repository Repository, at *url.URL, chart string) ([]string, error) {
	s, err := c.open(ctx, repository, at, chart)
	if err != nil {
		return nil, err
	}
	var versions []string
	next := s.base.JoinPath("tags", "list").String() + "?n=1000"
	for range maxTagPages {
		got, err := s.get(ctx, "", getting{url: next, limit: maxTagPage, what: "the tags of chart " + chart, missing: MissingChart})
		if err != nil {
			return nil, err
		}
		var page struct {
			Tags []string `json:"tags"`
		}
		if json.Unmarshal(got.body, &page) != nil {
			return nil, &Error{Kind: KindInvalid, Message: fmt.Sprintf("fetching the tags of chart %s: the response is not a list of tags", chart)}
		}
		for _, tag := range page.Tags {
			versions = append(versions, versionOf(tag))
		}
		if next, err = s.nextPage(next, got.header); next == "" || err != nil {
			return versions, err
		}
	}
	return nil, &Error{Kind: KindTooLarge, Message: fmt.Sprintf("chart %s has more than %d pages of tags", chart, maxTagPages)}
}

var nextLink = regexp.MustCompile(`^\s*<([^>]*)>\s*;.*\brel="?next"?`)

// nextPage returns the URL of the next page, or "". The URL must be in the same registry.
func (s *session) nextPage(current string, header http.Header) (string, error) {
	match := nextLink.FindStringSubmatch(header.Get("Link"))
	if match == nil {
		return "", nil
	}
	invalid := &Error{Kind: KindInvalid, Message: "the next page of tags is on a different host"}
	from, err := url.Parse(current)
	if err != nil {
		return "", invalid
	}
	to, err := from.Parse(match[1])
	if err != nil || to.Scheme != schemeHTTPS || authority(to) != authority(s.base) || to.User != nil {
		return "", invalid
	}
	return to.String(), nil
}

// Tags cannot contain a plus, so Helm writes that of build metadata as an underscore, which versions cannot contain.
func tagOf(version string) string { return strings.ReplaceAll(version, "+", "_") }
func versionOf(tag string) string { return strings.ReplaceAll(tag, "_", "+") }

// tagForm is the form of tags in the OCI distribution specification.
var tagForm = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
