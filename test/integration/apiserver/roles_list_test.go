// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rule matches a line of kubectl auth can-i --list: resources, URLs, names and verbs.
var rule = regexp.MustCompile(`^(\S*)\s+\[(.*?)\]\s+\[(.*?)\]\s+\[(.*?)\]\s*$`)

// given maps each Roadstead resource to its granted verbs, in the order of verbs.
type given map[string][]string

// listed returns the rights of a user in a namespace as reported by kubectl auth can-i --list.
func listed(t *testing.T, user, namespace string, resources []resource) given {
	t.Helper()
	found := given{}
	list := env.Kubectl(t, "", "auth", "can-i", "--list", "--no-headers", "--as="+user, "-n", namespace)
	lines := strings.Split(strings.TrimSpace(list), "\n")
	for _, line := range lines {
		columns := rule.FindStringSubmatch(line)
		require.NotNil(t, columns, "a line of another form: %q", line)
		name, names, granted := columns[1], columns[3], strings.Fields(columns[4])
		if name == "*.*" {
			for _, r := range resources {
				found[r.String()] = r.verbs
			}
			continue
		}
		if !strings.Contains(name, "roadstead.dev") {
			continue
		}
		require.Empty(t, names, "no shipped role is about single objects: %q", line)
		found[name] = append(found[name], granted...)
	}
	for name := range found {
		found[name] = ordered(found[name])
	}
	return found
}

// ordered sorts verbs and removes duplicates. Unknown verbs come last.
func ordered(some []string) []string {
	some = slices.Clone(some)
	place := func(verb string) int {
		if i := slices.Index(verbs, verb); i >= 0 {
			return i
		}
		return len(verbs)
	}
	slices.SortFunc(some, func(a, b string) int {
		if place(a) != place(b) {
			return place(a) - place(b)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(some)
}

// of returns the rights on resources that are namespaced, or that are not.
func (g given) of(resources []resource, namespaced bool) given {
	left := given{}
	for _, r := range resources {
		if r.namespaced == namespaced && len(g[r.String()]) > 0 {
			left[r.String()] = g[r.String()]
		}
	}
	return left
}
