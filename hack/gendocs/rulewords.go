// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// where says what the example of a rule shows.
func where(rule rules.Rule) string {
	switch rule.Scope {
	case rules.InField:
		return "The schema of a field, here `.spec.f`; the same holds at every depth, unless another rule is about that place:"
	case rules.InSpec:
		return "The schema of an object, here `.spec`; the same holds at every depth:"
	case rules.InRoot:
		return "The whole schema of a version:"
	}
	return "The part of the definition that matters:"
}

// effectWords say what became of objects; "" where the value needs no words.
var effectWords = map[string]map[string]string{
	"read": {
		"same": "as before", "pruned": "without the data that the new schema does not keep", "dropped": "without its nulls",
		"defaulted": "with a default that nobody wrote",
	},
	"write": {
		"ok": "accepted", "rejected": "rejected", "lost": "accepted, but the value is dropped",
	},
	"rollback": {
		"":         "accepted, as there is nothing new",
		"pruned":   "loses what is new",
		"rejected": "cannot be made anew, and edits of it are rejected; updates of metadata pass",
		"bricked":  "rejects every update, even the removal of a finalizer", "pruned or rejected": "loses what is new, and may be rejected",
	},
}

// effect is one line of the table of effects.
type effect struct{ What, Outcome string }

// effects put what was measured into words; none where nothing was.
func effects(rule rules.Rule) []effect {
	measured := rule.Effects
	if measured == (rules.Effects{}) || rule.Verdict == rules.Refused {
		return nil
	}
	all := []effect{
		{"A stored object reads", effectWords["read"][measured.Read]},
		{"Making a stored object anew (restore, another cluster)", effectWords["write"][measured.Create]},
		{"An update of its metadata only", effectWords["write"][measured.MetadataUpdate]},
		{"An update of a field beside it", effectWords["write"][measured.SiblingUpdate]},
	}
	if measured.OldClient != "" {
		all = append(all, effect{"A write that the old schema allowed", effectWords["write"][measured.OldClient]})
	}
	return append(all,
		effect{"Server-side apply of a stored object as it is", effectWords["write"][measured.Apply]},
		effect{"After a rollback, an object that was written under the new schema", effectWords["rollback"][measured.Rollback]})
}

// hits lists who is hit.
func hits(rule rules.Rule) string {
	var all []string
	for _, one := range []struct {
		hit  bool
		name string
	}{
		{rule.Hits.Stored, "stored objects"}, {rule.Hits.Writers, "writers"}, {rule.Hits.SSAWriters, "writers by server-side apply"},
		{rule.Hits.Readers, "readers"}, {rule.Hits.Rollback, "a rollback"},
	} {
		if one.hit {
			all = append(all, one.name)
		}
	}
	return strings.Join(all, ", ")
}

var (
	code = regexp.MustCompile(`CRD-[0-9A-Z]\d\d`)
	// plain is what would be markup on a page.
	plain = strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`)
)

// links is a text with links to the rules that it names.
func links(text string) string {
	return code.ReplaceAllString(plain.Replace(text), "[$0]($0.md)")
}
