// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string][]string{
		"// it tells whether it is ready":                {"tells"},
		"// newPool returns a pool":                      nil,
		"Whoever asks is told":                           {"told", "Whoever", "asks"},
		"users who may read it":                          nil,
		"objects who may read it":                        {"who"},
		"make sure that it is made of objects":           nil,
		"the domain is made once":                        {"is made"},
		"makes the field optional":                       nil,
		"looks it up, and looks at it":                   {"looks"},
		"the value comes from the chart":                 nil,
		"the name is taken; the value is taken from it":  {"name is taken"},
		"encrypted at rest":                              nil,
		"the host of the URL, the host cluster":          {"the host cluster"},
		"handmade forehead gonelike":                     nil,
		"the Secret is gone":                             {"gone"},
		"trouble in the whole cluster, in whole seconds": {"whole", "trouble"},
	} {
		var found []string
		for _, hit := range check("pkg/a.go", text) {
			found = append(found, hit.text)
		}
		assert.Equal(t, want, found, text)
	}
	assert.Empty(t, check("hack/wording/words.go", "tells"), "an exception for a folder")
}

func TestReaders(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		want    []passage
	}{
		"pkg/a.go": {
			"package a // one\n\n/* two\nthree */\nconst b = \"four five\" + \"six\" + `seven\neight`\n\n//go:embed x\n",
			[]passage{{"", 1}, {"/* two", 3}, {"three */", 4}, {"four five", 5}},
		},
		"pkg/a_test.go":         {"package a\n\nconst b = \"four five\" // six\n", []passage{{"", 3}}},
		"hack/x/a.go":           {"package a\n\nconst b = `four five`\n", nil},
		"docs/a.md":             {"one `two` [three](four.md)\n```sh\nfive\n```\nsix", []passage{{"one   [three ", 1}, {"six", 5}}},
		"hack/a.sh":             {"#!/bin/sh\n# one\ntwo # three\n${#four}\n", []passage{{" one", 2}, {" three", 3}}},
		"artifacts/x/a.yaml":    {"summary: one\n", []passage{{"summary: one", 1}, {"", 2}}},
		"pkg/generated/a.go":    {},
		"pkg/testdata/a.md":     {},
		"pkg/zz_generated.x.go": {},
		"a.png":                 {},
	} {
		var got []passage
		if read := readerOf(name); read != nil {
			got = read(name, []byte(test.content))
		}
		assert.Equal(t, test.want, got, name)
	}
}
