// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/proof/cel"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// validations compares the CEL rules of a node.
func (w *walk) validations(old, new *schema, at spot) {
	if len(old.rules) == 0 && len(new.rules) == 0 {
		return
	}
	was, is := normalRules(old.rules), normalRules(new.rules)
	var added []apiextensionsv1.ValidationRule
	for _, text := range sortedKeys(is) {
		rule := is[text]
		before, known := was[text]
		switch {
		case !known:
			added = append(added, rule)
		case ptr.Deref(rule.OptionalOldSelf, false) && !ptr.Deref(before.OptionalOldSelf, false):
			w.find("A08", at, before.Rule, rule.Rule, "the rule is also evaluated when an object is created, because optionalOldSelf is true now")
		case before.Message != rule.Message || before.MessageExpression != rule.MessageExpression || before.FieldPath != rule.FieldPath ||
			!ptr.Equal(before.Reason, rule.Reason):
			w.find("A06", at, before.Message, rule.Message, "only the message of the rule changes")
		}
	}
	var gone []string
	for _, text := range sortedKeys(was) {
		if _, kept := is[text]; !kept {
			gone = append(gone, was[text].Rule)
		}
	}
	for _, rule := range added {
		w.rule(rule, gone, old, new, at)
	}
	if len(added) == 0 {
		for _, rule := range gone {
			w.find("A04", at, rule, nil, "the rule was removed: more values are allowed, which become invalid after a rollback")
		}
	}
}

// normalRules returns rules by their canonical text.
func normalRules(rules []apiextensionsv1.ValidationRule) map[string]apiextensionsv1.ValidationRule {
	byText := make(map[string]apiextensionsv1.ValidationRule, len(rules))
	for _, rule := range rules {
		byText[cel.Normal(rule.Rule)] = rule
	}
	return byText
}

// transitions returns the rules that check changes.
func transitions(rules []apiextensionsv1.ValidationRule) []string {
	var texts []string
	for _, rule := range rules {
		if !ptr.Deref(rule.OptionalOldSelf, false) && usesOldSelf(rule.Rule) {
			texts = append(texts, rule.Rule)
		}
	}
	return texts
}

// usesOldSelf reports whether a rule checks a change. It returns true for a rule that cannot be parsed.
func usesOldSelf(rule string) bool {
	reads, err := cel.ReadsOf(rule)
	return err != nil || reads.Transition
}

// readsMetadata reports whether a rule reads a field below metadata.
func readsMetadata(rule string) bool {
	reads, err := cel.ReadsOf(rule)
	return err == nil && slices.ContainsFunc(reads.Self, func(path cel.Path) bool { return len(path) > 0 && path[0] == "metadata" })
}

// rule reports a new rule.
func (w *walk) rule(rule apiextensionsv1.ValidationRule, gone []string, old, new *schema, at spot) {
	was := likest(rule.Rule, gone)
	switch known := old.standing(); {
	case !ptr.Deref(rule.OptionalOldSelf, false) && cel.Implies(slices.Concat(known, transitions(old.rules)), rule.Rule):
		w.find("A05", at, was, rule.Rule, "the rule follows from the old rules").Verdict = rules.Safe
		return
	case plainlyTyped(rule.Rule, new) && holdsBefore(rule.Rule, known, old, new):
		w.find(ruleID(rule, was, new, at), at, was, rule.Rule, "the rule holds for every object that was valid before: it follows "+
			"from the schema, or is about new fields only").Verdict = rules.Safe
		return
	}
	finding := w.find(ruleID(rule, was, new, at), at, was, rule.Rule, "%s", ruleText(rule, was))
	if !ptr.Deref(rule.OptionalOldSelf, false) && usesOldSelf(rule.Rule) {
		return // it checks only changes
	}
	w.broken(finding, new, at)
}

// likest returns the rule that another rule was probably derived from: the one that shares the longest
// beginning and end with it. It returns "" if no rule shares half of its text.
func likest(rule string, rules []string) string {
	best, length := "", len(rule)/2-1
	for _, candidate := range rules {
		same := 0
		for same < len(rule) && same < len(candidate) && rule[same] == candidate[same] {
			same++
		}
		tail := 0
		for same+tail < min(len(rule), len(candidate)) && rule[len(rule)-1-tail] == candidate[len(candidate)-1-tail] {
			tail++
		}
		if same+tail > length {
			best, length = candidate, same+tail
		}
	}
	return best
}

func ruleText(rule apiextensionsv1.ValidationRule, was string) string {
	switch {
	case usesOldSelf(rule.Rule):
		return "changes that the rule forbids are rejected"
	case was != "":
		return "objects that satisfy the old rule may violate the new one (the implication could not be proved): they can be neither " +
			"recreated nor edited here"
	}
	return "objects that violate the rule can be neither recreated nor edited here, and writers that send them are rejected"
}

// ruleID returns the rule of the catalog for a new CEL rule.
func ruleID(rule apiextensionsv1.ValidationRule, was string, new *schema, at spot) string {
	isObject := new.types == typeObject
	switch {
	case ptr.Deref(rule.OptionalOldSelf, false):
		return "A08"
	case usesOldSelf(rule.Rule) && isObject:
		return "A07"
	case usesOldSelf(rule.Rule):
		return "A03"
	case was != "":
		return "A05"
	case at.root && readsMetadata(rule.Rule):
		return "R05"
	case at.root:
		return "R03"
	case new.additional != nil:
		return "418"
	case isObject:
		return "A02"
	}
	return "A01"
}

// holdsBefore reports whether a rule is proved to hold for every object that was valid under old, as it
// is read under new. The proof uses the presence of fields alone, which also covers fields below lists
// and maps, or the known rules and facts in addition to presence.
func holdsBefore(rule string, known []string, old, new *schema) bool {
	present := presence(old, new)
	return cel.TrueWhen(rule, present) || cel.ImpliesWhen(slices.Concat(known, factsFor(rule, old, new)), rule, present)
}

// plainlyTyped reports whether each value that a rule reads has a single type. Nothing is proved about other values.
func plainlyTyped(rule string, node *schema) bool {
	reads, err := cel.ReadsOf(rule)
	if err != nil {
		return false
	}
	for _, path := range reads.Self {
		for at, rest := node, path; ; rest = rest[1:] {
			if at == nil || at.types == anyType || at.types == intOrString {
				return false
			}
			if len(rest) == 0 {
				break
			}
			at = at.step(rest[0])
		}
	}
	return true
}

// step returns the node at one element of a cel.Path.
func (s *schema) step(element string) *schema {
	switch {
	case s == nil:
		return nil
	case element == cel.Each && s.types == typeArray:
		return s.items
	case element == cel.Each:
		return s.additional
	}
	return s.child(element)
}

// presence returns what is known about the presence of fields in objects that were stored before, as
// they are read under the new schema. A field is absent if it was not kept and has no default, and
// present if it was required or has a default.
func presence(old, new *schema) func([]string) cel.Presence {
	return func(path []string) cel.Presence {
		was, is := old, new
		for i, element := range path {
			if was == nil || was.types == anyType {
				return cel.Unknown
			}
			next := is.step(element)
			defaults := next != nil && next.defaults
			switch last := i == len(path)-1; {
			case element == cel.Each:
			case !was.mayHave(element) && !defaults:
				return cel.Absent
			case !was.mayHave(element):
				return cel.Unknown
			case last && (defaults || was.requires(element) && !was.nullableAt(element)):
				return cel.Present
			}
			was, is = was.step(element), next
		}
		return cel.Unknown
	}
}

// nullableAt reports whether a property may be null. A null is dropped if it is no longer allowed.
func (s *schema) nullableAt(name string) bool {
	return s.properties[name] == nil || s.properties[name].nullable
}
