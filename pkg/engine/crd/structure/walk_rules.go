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
			w.find("A08", at, before.Rule, rule.Rule, "the rule is checked when an object is made, too, as optionalOldSelf is on now")
		case before.Message != rule.Message || before.MessageExpression != rule.MessageExpression || before.FieldPath != rule.FieldPath ||
			!ptr.Equal(before.Reason, rule.Reason):
			w.find("A06", at, before.Message, rule.Message, "only what the rule says to the user changes")
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
			w.find("A04", at, rule, nil, "the rule is gone: more is allowed, which a rollback makes invalid")
		}
	}
}

// normalRules maps rules by their canonical text.
func normalRules(rules []apiextensionsv1.ValidationRule) map[string]apiextensionsv1.ValidationRule {
	byText := make(map[string]apiextensionsv1.ValidationRule, len(rules))
	for _, rule := range rules {
		byText[cel.Normal(rule.Rule)] = rule
	}
	return byText
}

// transitions are the rules that judge changes.
func transitions(rules []apiextensionsv1.ValidationRule) []string {
	var texts []string
	for _, rule := range rules {
		if !ptr.Deref(rule.OptionalOldSelf, false) && usesOldSelf(rule.Rule) {
			texts = append(texts, rule.Rule)
		}
	}
	return texts
}

// usesOldSelf tells whether a rule judges a change; one that cannot be read might.
func usesOldSelf(rule string) bool {
	reads, err := cel.ReadsOf(rule)
	return err != nil || reads.Transition
}

// readsMetadata tells whether a rule reads below metadata.
func readsMetadata(rule string) bool {
	reads, err := cel.ReadsOf(rule)
	return err == nil && slices.ContainsFunc(reads.Self, func(path cel.Path) bool { return len(path) > 0 && path[0] == "metadata" })
}

// rule reports a rule that is new.
func (w *walk) rule(rule apiextensionsv1.ValidationRule, gone []string, old, new *schema, at spot) {
	was := likest(rule.Rule, gone)
	switch known := old.standing(); {
	case !ptr.Deref(rule.OptionalOldSelf, false) && cel.Implies(slices.Concat(known, transitions(old.rules)), rule.Rule):
		w.find("A05", at, was, rule.Rule, "the rule follows from those that were there before").Verdict = rules.Safe
		return
	case plainlyTyped(rule.Rule, new) && holdsBefore(rule.Rule, known, old, new):
		w.find(ruleID(rule, was, new, at), at, was, rule.Rule, "the rule holds for every object that was valid before: what it "+
			"demands follows from the schema, or is about new fields only").Verdict = rules.Safe
		return
	}
	finding := w.find(ruleID(rule, was, new, at), at, was, rule.Rule, "%s", ruleText(rule, was))
	if !ptr.Deref(rule.OptionalOldSelf, false) && usesOldSelf(rule.Rule) {
		return // it only judges changes
	}
	w.broken(finding, new, at)
}

// likest is the rule that is most like another, the one that it was probably made from; empty where none shares half of it,
// counted from its beginning and its end.
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
		return "writers lose the right to make changes that the rule forbids"
	case was != "":
		return "objects that kept the old rule may break the new one, whose implication could not be proved: they can be neither made " +
			"anew nor edited here"
	}
	return "objects that break the rule can be neither made anew nor edited here, and writers that send them are refused"
}

// ruleID chooses the rule of the table for a CEL rule that is new.
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

// holdsBefore tells whether a rule is proved to hold for every object that was valid under old, as it is read under new: by
// what is there and what is missing alone, which reaches below lists and maps, or from what was known together with that.
func holdsBefore(rule string, known []string, old, new *schema) bool {
	present := presence(old, new)
	return cel.TrueWhen(rule, present) || cel.ImpliesWhen(slices.Concat(known, factsFor(rule, old, new)), rule, present)
}

// plainlyTyped tells whether each value that a rule reads is of one type: nothing is claimed of the others.
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

// step is the node at an element of a path of celproof.
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

// presence tells what is known of a field of the objects that were stored before, as they are read under the new schema: it
// is missing where it was not kept and no default puts it there, and there where it was required or has a default.
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

// nullableAt tells whether a property may be null, which is dropped where it must not be any more.
func (s *schema) nullableAt(name string) bool {
	return s.properties[name] == nil || s.properties[name].nullable
}
