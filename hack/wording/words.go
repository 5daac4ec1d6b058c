// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path"
	"regexp"
	"strings"
)

// word is a word to avoid, with the word to use.
type word struct {
	// avoid is a regular expression that is matched without regard to case, from one word boundary
	// to another.
	avoid string
	// instead lists the words to use.
	instead string
	// allow names phrases with the word that the Kubernetes documentation uses.
	allow string
}

// words is the list of the style guide in CONTRIBUTING.md. One word for one thing.
var words = []word{
	{avoid: `tells?|told|telling`, instead: "reports whether, returns, shows"},
	{avoid: `gives?|gave|giving`, instead: "returns, provides, grants", allow: `gives? up`},
	{avoid: `(is|are|was|were|be|been|being) made|makes (a|an|one|its|new|objects?)|made (by|from|out)|making (a|an|the)`,
		instead: "creates (objects), builds (images), generates (names, code), causes", allow: `(is|are) made (up )?of`},
	{avoid: `mend(s|ed|ing)?|puts? right`, instead: "fix, correct, repair"},
	{avoid: `gone|go(es)? away|went away`, instead: "is deleted, no longer exists, was removed"},
	{avoid: `comes?|came|coming`, instead: "appears, results, is included", allow: `c(o|a)mes? from|coming from|first[- ]come|comes? last`},
	{avoid: `besides?`, instead: "in addition to, next to"},
	{avoid: `(is|are|was|were|be) (down and )?away`, instead: "is unavailable"},
	{avoid: `(names?|address|ports?|references?|already) (is |are |was |were )?(already )?taken`, instead: "already in use"},
	{avoid: `of ours|our own|ours`, instead: "Roadstead's, built-in"},
	{avoid: `whoever|whom|he|his|him`, instead: "the caller, the user, they"},
	{avoid: `who`, instead: "the caller, the user, that",
		allow: `(users?|administrators?|operators?|those|someone|anyone|everyone|callers?|clients?|` +
			`teams?|engineers?|developers?|owners?|members?|holders?|readers?|authors?) who|who (is|are) affected|` +
			`(checks?|verif(y|ies)|records?|determines?|knows?|shows?) who`},
	{avoid: `people|persons?|a person's`, instead: "a user, an administrator, or the instruction itself",
		allow: `(first|second|third) person`},
	{avoid: `asks?|asked|asking`, instead: "request, query, call"},
	{avoid: `looks?|looked|looking`, instead: "check, inspect, read", allow: `look(s|ed|ing)? (it |them )?up|looks? (like|too|complete)`},
	{avoid: `the way out`, instead: "how to allow the change"},
	{avoid: `(the )?host cluster|the host's`, instead: "the cluster, kube-apiserver"},
	{avoid: `whole`, instead: "complete, entire", allow: `whole (numbers?|seconds)`},
	{avoid: `at once`, instead: "immediately, at the same time"},
	{avoid: `at rest`, instead: "idle", allow: `(encrypt(ed|ion|s)?|data|secrets) at rest`},
	{avoid: `(is|are|was) in order`, instead: "is up to date, is valid"},
	{avoid: `trouble|riddles?|a word on`, instead: "error, problem, note on"},
	{avoid: `(was|were) to be`, instead: "what failed: create …, read …"},
	{avoid: `anew`, instead: "again"},
	{avoid: `bears?|bore|borne`, instead: "has, carries"},
}

// exception is a place where a word is allowed.
type exception struct {
	// files is a pattern of path.Match, or a directory that ends with "/".
	files string
	// text is the allowed text. Empty allows every word.
	text string
	// reason is the reason of the exception.
	reason string
}

var exceptions = []exception{
	{"hack/wording/", "", "the list itself"},
	{"LICENSE*", "", "the license is quoted"},
	{"pkg/engine/anchor/", "look", "Look is the type of an observation"},
	{"pkg/engine/anchor/", "looks", "Look is the type of an observation"},
	{"pkg/engine/ownership/", "look", "the name of a verdict"},
	{"pkg/engine/ownership/", "gone", "the name of a finding"},
	{"pkg/apiserver/options/flags.go", "host cluster", "the section of the flags of CoreAPIOptions"},
	{"pkg/apiserver/crdwebhook/metrics.go", "tell", "cannot-tell is a value of the label decision"},
	{"pkg/controllers/", "", "messages, which are reworded together with the conditions that tests expect"},
	{"pkg/uninstall/", "", "messages, which are reworded together with the output that tests expect"},
	{"hack/demo/", "", "the narration, which is reworded together with the README's excerpt"},
	{"docs/configuration.md", "", "generated from the flags of pkg/controllers/manager"},
}

// hit is a word that was found.
type hit struct{ text, instead string }

type matcher struct{ avoid, allow *regexp.Regexp }

var matchers = func() []matcher {
	compile := func(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`) }
	all := make([]matcher, 0, len(words))
	for _, word := range words {
		matcher := matcher{avoid: compile(word.avoid)}
		if word.allow != "" {
			matcher.allow = compile(word.allow)
		}
		all = append(all, matcher)
	}
	return all
}()

// check returns the words in text that the file of this name must not have.
func check(name, text string) []hit {
	var hits []hit
	for i, matcher := range matchers {
		rest := text
		if matcher.allow != nil {
			rest = matcher.allow.ReplaceAllLiteralString(rest, " ")
		}
		for _, found := range matcher.avoid.FindAllString(rest, -1) {
			if !excepted(name, found) {
				hits = append(hits, hit{found, words[i].instead})
			}
		}
	}
	return hits
}

func excepted(name, text string) bool {
	for _, exception := range exceptions {
		inside := strings.HasSuffix(exception.files, "/") && strings.HasPrefix(name, exception.files)
		if matched, _ := path.Match(exception.files, name); !matched && !inside {
			continue
		}
		if exception.text == "" || strings.EqualFold(exception.text, text) {
			return true
		}
	}
	return false
}
