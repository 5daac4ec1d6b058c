// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/proof/cel"
)

// The cost of a proof grows with the number of facts, and rules rarely read deeply nested fields.
const (
	mostFacts = 200
	factDepth = 4
)

// factsFor returns, as CEL rules, what the keywords of a node ensure, so that a rule can be proved
// from them: bounds, patterns, enums, types and required fields of the node and of what the rule reads
// below it. The facts hold for every object that was valid under old, as it is read under new.
func factsFor(rule string, old, new *schema) []string {
	reads, err := cel.ReadsOf(rule)
	if err != nil {
		return nil
	}
	facts := facts(old, new, "self", reads.Self, 0)
	return facts[:min(len(facts), mostFacts)]
}

// facts returns the facts of the node that is named self, and of the nodes below it that the paths reach.
func facts(old, new *schema, self string, paths []cel.Path, depth int) []string {
	if old.nullable || depth > factDepth {
		return nil
	}
	found := append(old.boundFacts(self), old.valueFacts(self)...)
	switch old.types {
	case typeObject:
		for _, name := range sortedKeys(old.properties) {
			if below, read := pathsBelow(paths, name); read && plainField.MatchString(name) && !celWords[name] {
				found = append(found, fieldFacts(old, new, name, self, below, depth)...)
			}
		}
	case typeArray:
		if below, read := pathsBelow(paths, cel.Each); read && old.items != nil && new != nil && new.items != nil {
			item := fmt.Sprintf("item%d", depth)
			if of := facts(old.items, new.items, item, below, depth+1); len(of) > 0 {
				found = append(found, self+".all("+item+", ("+strings.Join(of, ") && (")+"))")
			}
		}
	}
	return found
}

// pathsBelow returns the remainders of the paths that pass through an element. The second result
// reports whether there is such a path.
func pathsBelow(paths []cel.Path, element string) (below []cel.Path, read bool) {
	for _, path := range paths {
		switch {
		case len(path) == 0:
			below, read = append(below, nil), true
		case path[0] == element:
			below, read = append(below, path[1:]), true
		}
	}
	return below, read
}

// fieldFacts returns the facts of a property. It returns none for a property whose default changes,
// because the property may be present now where it was absent before.
func fieldFacts(old, new *schema, name, self string, below []cel.Path, depth int) []string {
	was, is := old.properties[name], propertyOf(new, name)
	if is == nil || is.defaults != was.defaults || is.defaults && shownWhole(is.fallback) != shownWhole(was.fallback) {
		return nil
	}
	field := self + "." + name
	of := facts(was, is, field, below, depth+1)
	if was.defaults || old.required[name] && !was.nullable {
		return append(of, "has("+field+")")
	}
	if len(of) == 0 {
		return nil
	}
	return []string{"!has(" + field + ") || (" + strings.Join(of, ") && (") + ")"}
}

// boundFacts returns the bounds of a node. A list without minItems gets the bound 0, because proofs
// need a lower bound of its size.
func (s *schema) boundFacts(self string) []string {
	var facts []string
	known := s.effective()
	if s.types == typeArray && !known.minItems.is {
		known.minItems = limit{is: true}
	}
	for _, bound := range bounds {
		limit := *bound.of(&known)
		if !limit.is || s.types != s.types&bound.types {
			continue
		}
		operator := " <= "
		if bound.lower {
			operator = " >= "
		}
		if limit.exclusive {
			operator = strings.ReplaceAll(operator, "=", "")
		}
		subject, value := "size("+self+")", strconv.FormatFloat(limit.value, 'f', -1, 64)
		if bound.types == typeNumber {
			subject = self
			if s.types != typeInteger && !strings.Contains(value, ".") {
				value += ".0"
			}
		}
		facts = append(facts, subject+operator+value)
	}
	return facts
}

// valueFacts returns the type, the patterns and the enum of a scalar.
func (s *schema) valueFacts(self string) []string {
	var facts []string
	switch {
	case s.types == typeString && !s.convertedByFormat():
		facts = append(facts, "type("+self+") == string")
		for _, pattern := range sortedKeys(s.patterns) {
			facts = append(facts, self+".matches("+strconv.Quote(pattern)+")")
		}
	case s.types == typeInteger:
		facts = append(facts, "type("+self+") == int")
	case s.types == typeBoolean:
		return []string{"type(" + self + ") == bool"}
	default:
		return nil
	}
	if len(s.enum) > 0 {
		facts = append(facts, self+" in ["+strings.Join(sortedKeys(s.enum), ", ")+"]")
	}
	return facts
}

// convertedByFormat reports whether CEL sees another type than string because of the format.
func (s *schema) convertedByFormat() bool {
	for format := range s.formats {
		if typedFormats[format] {
			return true
		}
	}
	return false
}

// plainField matches the names that CEL accepts without escaping. Reserved words are in celWords.
var plainField = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// celWords are the names that CEL reserves.
var celWords = setOf([]string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
	"namespace", "return", "var", "void", "while",
})

// ensures reports whether the rules of a node, which hold for each of its values, are proved to imply another rule.
func (s *schema) ensures(rule string) bool {
	return len(s.rules) > 0 && cel.Implies(s.standing(), rule)
}

// standing returns the rules that every stored value of a node satisfies: the rules that check a value, not a change.
func (s *schema) standing() []string {
	var rules []string
	for _, rule := range s.rules {
		if !ptr.Deref(rule.OptionalOldSelf, false) && !usesOldSelf(rule.Rule) {
			rules = append(rules, rule.Rule)
		}
	}
	return rules
}

func propertyOf(s *schema, name string) *schema {
	if s == nil {
		return nil
	}
	return s.properties[name]
}
