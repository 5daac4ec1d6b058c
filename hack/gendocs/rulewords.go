// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// where introduces the example of a rule.
func where(rule rules.Rule) string {
	switch rule.Scope {
	case rules.InField:
		return "the schema of a field, here `.spec.f`. The rule applies at every depth, unless a more specific rule exists."
	case rules.InSpec:
		return "the schema of an object, here `.spec`. The rule applies at every depth."
	case rules.InRoot:
		return "the complete schema of a version."
	}
	return "the relevant part of the CRD."
}

// ofBundles reports whether the rule concerns bundles and charts, which the API server and the CRD guard do not check.
func ofBundles(rule rules.Rule) bool { return rule.Family().Page == "bundles.md" }

// describe returns the verdict of the rule in words.
func describe(rule rules.Rule) string {
	if ofBundles(rule) && rule.Verdict == rules.Refused {
		return "the CRD must not be applied"
	}
	return rule.Verdict.Describe()
}

// allow describes how to apply the change despite the finding.
func allow(rule rules.Rule) string {
	switch {
	case ofBundles(rule) && rule.Verdict.Breaks():
		return "The CRD guard does not check bundles and charts. To continue a pipeline despite this finding, run `roadstead-crdcheck " +
			"--no-fail`."
	case ofBundles(rule):
		return "The finding is a warning. `roadstead-crdcheck` fails only with `--strict`."
	case rule.Verdict == rules.Refused:
		return "You cannot allow this change, because the API server rejects the CRD."
	case rule.Verdict.Breaks():
		return "If the effects are acceptable, [allow the change](../crd-guard.md#allow-a-change) by an annotation on the CRD. To continue " +
			"a pipeline despite this finding, run `roadstead-crdcheck --no-fail`."
	case rule.Verdict == rules.Review:
		return "The finding is a warning. The CRD guard allows the change, and `roadstead-crdcheck` fails only with `--strict`."
	}
	return "The CRD guard and `roadstead-crdcheck` allow the change."
}

// effectWords describe the results of operations.
var effectWords = map[string]map[string]string{
	"read": {
		"same": "unchanged", "pruned": "without the data that the new schema does not declare", "dropped": "without its nulls",
		"defaulted": "with the default",
	},
	"write": {
		"ok": "accepted", "rejected": "rejected", "lost": "accepted, but the value is dropped",
	},
	"rollback": {
		"":         "accepted: no object can have new content",
		"pruned":   "new data is pruned",
		"rejected": "creation and edits of the invalid value are rejected; updates of metadata are accepted",
		"bricked":  "every update is rejected, including the removal of a finalizer",

		"pruned or rejected": "new data is pruned, or the object is rejected",
	},
}

// effect is one row of the table of effects.
type effect struct{ Operation, Result string }

// effects returns the measured effects in words, or nil if nothing was measured.
func effects(rule rules.Rule) []effect {
	measured := rule.Effects
	if measured == (rules.Effects{}) || rule.Verdict == rules.Refused {
		return nil
	}
	all := []effect{
		{"Read of a stored object", effectWords["read"][measured.Read]},
		{"Create with the content of a stored object, such as a restore", effectWords["write"][measured.Create]},
		{"Update of metadata only", effectWords["write"][measured.MetadataUpdate]},
		{"Update of another field of the same parent", effectWords["write"][measured.SiblingUpdate]},
	}
	// If the new schema rejects stored objects, a measured write that was accepted is one that satisfies it, which means nothing
	// for the others.
	if measured.OldClient != "" && (measured.OldClient != "ok" || measured.Create == "ok") {
		all = append(all, effect{"Write that the old schema allowed", effectWords["write"][measured.OldClient]})
	}
	return append(all,
		effect{"Server-side apply of an unchanged stored object", effectWords["write"][measured.Apply]},
		effect{"Rollback of the CRD, for objects written under the new schema", effectWords["rollback"][measured.Rollback]})
}

// hits returns a list of who is affected.
func hits(rule rules.Rule) string {
	var all []string
	for _, one := range []struct {
		hit  bool
		name string
	}{
		{rule.Hits.Stored, "stored objects"}, {rule.Hits.Writers, "writers"}, {rule.Hits.SSAWriters, "writers that use server-side apply"},
		{rule.Hits.Readers, "readers"}, {rule.Hits.Rollback, "rollbacks"},
	} {
		if one.hit {
			all = append(all, one.name)
		}
	}
	return strings.Join(all, ", ")
}

var (
	code = regexp.MustCompile(`CRD-[0-9A-Z]\d\d`)
	// plain escapes what would be markup on a page.
	plain = strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`)
)

// links returns a text of a rule in which each code of another rule is a link.
func links(from rules.Rule, text string) (string, error) {
	var failed error
	linked := code.ReplaceAllStringFunc(plain.Replace(text), func(code string) string {
		rule, err := rules.ByCode(code)
		if err != nil {
			failed = err
			return code
		}
		page := rule.Family().Page
		if page == from.Family().Page {
			page = ""
		}
		return "[" + code + "](" + page + "#" + rule.Anchor() + ")"
	})
	return linked, failed
}
