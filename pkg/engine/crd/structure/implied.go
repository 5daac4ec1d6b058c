// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
)

// prover proves that every value that satisfies one schema satisfies another. It never reports an
// unproved claim as proved. The number of its steps is limited; beyond the limit nothing is proved.
type prover struct {
	steps    int
	patterns *patterns
}

const proofSteps = 20_000

func newProver(patterns *patterns) *prover { return &prover{steps: proofSteps, patterns: patterns} }

// implies proves that every valid value of old is a valid value of new with regard to validation.
// Pruning and defaulting are not considered.
func (p *prover) implies(old, new *schema) bool {
	if p.steps--; p.steps < 0 {
		return false
	}
	if new == nil {
		return true
	}
	if old == nil {
		old = &schema{types: anyType, nullable: true, preserve: true, undeclared: true}
	}
	if p.impossible(old) {
		return true
	}
	if values, finite := old.finite(); finite {
		if decided, ok := each(values, new); decided {
			return ok
		}
	}
	return new.types.has(old.types) && (!old.nullable || new.nullable || new.undeclared) && p.impliesLeaf(old, new) && p.impliesParts(old,
		new) && p.impliesConditions(old, new)
}

// each checks all values. It decides only if every value is known to be valid, or one is known to be invalid.
func each(values []any, s *schema) (decided, ok bool) {
	decided = true
	for _, value := range values {
		known, valid := s.leaf(value)
		if known && !valid {
			return true, false
		}
		decided = decided && known
	}
	return decided, true
}

func (p *prover) impliesLeaf(old, new *schema) bool {
	own := old.effective()
	for _, bound := range bounds {
		wanted := *bound.of(&new.limits)
		if !wanted.is || old.types&bound.types == 0 {
			continue
		}
		has := *bound.of(&own)
		fits := has.within(wanted, bound.lower)
		if !fits && (bound.types != typeString || !p.patterns.fit(old, wanted, bound.lower)) {
			return false
		}
	}
	if new.enum != nil {
		return false // the values of an enum of old were checked one by one
	}
	if old.types&typeNumber != 0 {
		for factor := range new.multiples {
			if !old.multipleOf(factor) {
				return false
			}
		}
	}
	if old.types&typeString != 0 && len(new.patterns) > 0 && !subset(new.patterns, old.patterns) &&
		!p.patterns.includes(sortedKeys(new.patterns), sortedKeys(old.patterns)).Proved {
		return false
	}
	for format := range new.formats {
		if !old.formats[format] && !old.implies(format) && (old.types&typeScalar != 0) && (new.types == anyType || new.checks(format, newest)) {
			return false
		}
	}
	return true
}

func subset(part, whole map[string]bool) bool {
	for key := range part {
		if !whole[key] {
			return false
		}
	}
	return true
}

// impliesParts proves the conditions on properties, items and map values.
func (p *prover) impliesParts(old, new *schema) bool {
	if old.types&typeObject != 0 {
		for name := range new.required {
			if !old.requires(name) {
				return false
			}
		}
		for name, condition := range new.properties {
			if old.mayHave(name) && !p.implies(old.child(name), condition) {
				return false
			}
		}
		if new.additional != nil && !p.implies(old.additional, new.additional) {
			return false
		}
	}
	return old.types&typeArray == 0 || new.items == nil || p.implies(old.items, new.items)
}

// mayHave reports whether an object can hold a property. Undeclared properties are pruned.
func (s *schema) mayHave(name string) bool { return s.properties[name] != nil || s.keepsOthers() }

// child returns the schema of a property, or nil if nothing is known of it.
func (s *schema) child(name string) *schema {
	if child := s.properties[name]; child != nil {
		return child
	}
	return s.additional
}

// impliesConditions proves alternatives and negations.
func (p *prover) impliesConditions(old, new *schema) bool {
	for _, group := range new.anyOf {
		if !p.someBranch(old, group) {
			return false
		}
	}
	for _, group := range new.oneOf {
		if !p.oneBranch(old, group) {
			return false
		}
	}
	for _, body := range new.not {
		if !p.excluded(old, body) {
			return false
		}
	}
	return true
}

var newest = version.MustParseGeneric(manifest.NewestServer)
