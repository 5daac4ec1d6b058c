// SPDX-License-Identifier: Apache-2.0

package structure

import "slices"

// impossible reports whether it is proved that no value satisfies a node.
func (p *prover) impossible(s *schema) bool {
	if s.types == 0 && !s.nullable {
		return true
	}
	if s.enum != nil && len(s.enum) == 0 {
		return true
	}
	if s.types != typeObject {
		return false
	}
	for name := range s.required {
		if !s.mayHave(name) {
			return true
		}
		if child := s.properties[name]; child != nil && child.types == 0 && !child.nullable {
			return true
		}
	}
	return false
}

// someBranch proves that each value of old satisfies at least one branch.
func (p *prover) someBranch(old *schema, group []*schema) bool {
	if p.steps--; p.steps < 0 {
		return false
	}
	if slices.ContainsFunc(group, func(branch *schema) bool { return p.implies(old, branch) }) {
		return true
	}
	// Case by case: each branch of the alternatives of old, and each type that old allows.
	for kind, groups := range [][][]*schema{old.anyOf, old.oneOf} {
		for i, cases := range groups {
			rest := *old
			if kind == 0 {
				rest.anyOf = without(old.anyOf, i)
			} else {
				rest.oneOf = without(old.oneOf, i)
			}
			if p.everyCase(&rest, cases, group) {
				return true
			}
		}
	}
	return p.everyType(old, group)
}

func (p *prover) everyCase(rest *schema, cases, group []*schema) bool {
	for _, branch := range cases {
		if !p.someBranch(both(rest, branch), group) {
			return false
		}
	}
	return true
}

// everyType splits the proof by type, which int-or-string requires.
func (p *prover) everyType(old *schema, group []*schema) bool {
	if old.types == anyType || old.types&(old.types-1) == 0 {
		return false
	}
	for _, kind := range []jsonTypes{typeString, typeInteger, typeFraction, typeBoolean, typeObject, typeArray} {
		if old.types&kind == 0 {
			continue
		}
		one := *old
		one.types = kind
		if !slices.ContainsFunc(group, func(branch *schema) bool { return p.implies(&one, branch) }) {
			return false
		}
	}
	return true
}

func without(groups [][]*schema, i int) [][]*schema {
	return slices.Delete(slices.Clone(groups), i, i+1)
}

// oneBranch proves that each value of old satisfies exactly one branch.
func (p *prover) oneBranch(old *schema, group []*schema) bool {
	if p.steps--; p.steps < 0 {
		return false
	}
	left := p.possible(old, group)
	if len(left) == 1 {
		return p.implies(old, left[0])
	}
	for i, cases := range old.oneOf {
		rest := *old
		rest.oneOf = without(old.oneOf, i)
		if p.sameBranches(&rest, p.possible(&rest, cases), left) {
			return true
		}
	}
	return p.exclusive(old, left) && p.someBranch(old, left)
}

// possible returns the branches without those that no value of old satisfies, such as branches that require a new field.
func (p *prover) possible(old *schema, group []*schema) []*schema {
	return slices.DeleteFunc(slices.Clone(group), func(branch *schema) bool { return p.excluded(old, branch) })
}

// sameBranches proves that two groups have the same branches, in any order.
func (p *prover) sameBranches(base *schema, cases, group []*schema) bool {
	if len(cases) != len(group) {
		return false
	}
	taken := make([]bool, len(group))
	for _, one := range cases {
		found := false
		for i, other := range group {
			if !taken[i] && p.implies(both(base, one), other) && p.implies(both(base, other), one) {
				taken[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// exclusive proves that no value of old satisfies two branches.
func (p *prover) exclusive(old *schema, group []*schema) bool {
	for i, one := range group {
		for _, other := range group[i+1:] {
			if !p.excluded(both(old, one), other) {
				return false
			}
		}
	}
	return true
}

// excluded proves that no value of old satisfies a condition.
func (p *prover) excluded(old, body *schema) bool {
	if p.steps--; p.steps < 0 {
		return false
	}
	if old.types&body.types == 0 && !old.nullable {
		return true
	}
	if values, finite := old.finite(); finite && !slices.ContainsFunc(values, func(value any) bool {
		known,
			ok := body.leaf(value)
		return !known || ok
	}) {
		return true
	}
	if body.enum != nil && p.noneOf(old, body) {
		return true
	}
	if old.types == typeObject {
		for name := range body.required {
			if !old.mayHave(name) {
				return true
			}
		}
		for name, condition := range body.properties {
			if old.requires(name) && old.properties[name] != nil && p.excluded(old.properties[name], condition) {
				return true
			}
		}
	}
	for _, banned := range old.not {
		if p.implies(both(old, body), banned) {
			return true
		}
	}
	for _, group := range append(slices.Clone(body.anyOf), body.oneOf...) {
		if !slices.ContainsFunc(group, func(branch *schema) bool { return !p.excluded(old, branch) }) {
			return true
		}
	}
	return false
}

// noneOf proves that old allows none of the values that a condition lists.
func (p *prover) noneOf(old, body *schema) bool {
	for _, value := range body.enum {
		if known, ok := old.leaf(value); !known || ok {
			return false
		}
	}
	return true
}
