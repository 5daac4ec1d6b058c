// SPDX-License-Identifier: Apache-2.0

package rules

import "fmt"

// Rule is one row of the table of changes.
type Rule struct {
	// ID is that of the row (101, A02, S01).
	ID string
	// Change is the row's change in a few words.
	Change string
	// Verdict of the change where nothing else is known.
	Verdict Verdict
	// Effects are those measured; zero where the change concerns no stored value.
	Effects Effects
	// Hits says who is hit.
	Hits Hits
	// MinServerVersion is the first Kubernetes version where the rule holds; empty for all.
	MinServerVersion string
	// Who tells in a sentence who is hit, and how.
	Who string
	// Fix tells in a sentence or two what to do instead.
	Fix string
	// Provable says that Verdict stands for what is not proved to be harmless: where it is, a finding is milder.
	Provable bool
	// Scope says what Old and New are.
	Scope Scope
	// Old and New are a smallest example of the change, in YAML; both are empty where two definitions cannot show it.
	Old, New string
	// Object is a sample that is valid under Old, After one that only New allows: YAML without apiVersion, kind and
	// metadata. What becomes of the first after the change, and of the second after the way back, is in Effects.
	Object, After string
}

// Scope says which part of a definition the example of a rule shows.
type Scope string

const (
	// InField examples are schemas of .spec.f. Beside f stands the text field other.
	InField Scope = ""
	// InSpec examples are schemas of .spec, with the text field other in it.
	InSpec Scope = "spec"
	// InRoot examples are whole schemas of a version.
	InRoot Scope = "root"
	// InDefinition examples are what differs from a definition of the namespaced kind Test with the one version v1, whose
	// .spec has the text fields f and other, and whose .status has the text field phase. This is also the schema of each
	// version that names none.
	InDefinition Scope = "definition"
	// InCluster rules concern more than two definitions: bundles, owners, objects. They have no example.
	InCluster Scope = "cluster"
)

// Code is the stable machine code of the rule.
func (r Rule) Code() string { return "CRD-" + r.ID }

// Effects say what becomes of objects that were valid before the change, measured against the packages of
// k8s.io/apiextensions-apiserver. Each is "ok", "same", "rejected", "lost", "pruned", "dropped", "defaulted", or empty.
type Effects struct {
	// Read is what a stored object looks like afterwards: same, pruned, dropped (nulls) or defaulted.
	Read string
	// Create is making a stored object anew: a restore, another cluster.
	Create string
	// MetadataUpdate is an update that changes nothing but metadata: finalizers, labels.
	MetadataUpdate string
	// SiblingUpdate is an update of another field of the same parent.
	SiblingUpdate string
	// OldClient is a write that the old schema allowed.
	OldClient string
	// Apply is server-side apply of a stored object.
	Apply string
	// Rollback is an object that is valid only under the new schema, under the old one again: pruned, rejected, bricked.
	Rollback string
}

var rulesByID = func() map[string]Rule {
	byID := map[string]Rule{}
	for _, rule := range All {
		if _, twice := byID[rule.ID]; twice {
			panic("rules: two rules have the id " + rule.ID)
		}
		byID[rule.ID] = rule
	}
	return byID
}()

// ByCode returns the rule with a code such as CRD-101.
func ByCode(code string) (Rule, error) {
	if len(code) > 4 && code[:4] == "CRD-" {
		if rule, ok := rulesByID[code[4:]]; ok {
			return rule, nil
		}
	}
	return Rule{}, fmt.Errorf("there is no rule %q", code)
}
