// SPDX-License-Identifier: Apache-2.0

package rules

import "fmt"

// Rule is one row of the table of changes.
type Rule struct {
	// ID identifies the rule (101, A02, S01).
	ID string
	// Change names the change in a few words.
	Change string
	// Verdict is the verdict of the change if nothing else is known.
	Verdict Verdict
	// Effects are the measured effects; zero if the change concerns no stored value.
	Effects Effects
	// Hits lists who is affected.
	Hits Hits
	// MinServerVersion is the first Kubernetes version to which the rule applies; empty for all.
	MinServerVersion string
	// What describes the change in a sentence or two.
	What string
	// Who describes who is affected, and how.
	Who string
	// Fix describes what to do instead, or how to prepare for the change.
	Fix string
	// Provable reports whether a finding may have a milder verdict than Verdict, because the change was proved to be harmless.
	Provable bool
	// Scope is the part of a CRD that Old and New show.
	Scope Scope
	// Old and New are a minimal example of the change, in YAML. Both are empty if two versions of a CRD cannot show it.
	Old, New string
	// Object is a sample that is valid under Old, After one that only New allows: YAML without apiVersion, kind and
	// metadata. Effects describes what happens to the first after the change, and to the second after a rollback.
	Object, After string
}

// Scope is the part of a CRD that the example of a rule shows.
type Scope string

const (
	// InField examples are schemas of .spec.f. In addition to f, .spec has the string field other.
	InField Scope = ""
	// InSpec examples are schemas of .spec, to which the string field other is added.
	InSpec Scope = "spec"
	// InRoot examples are complete schemas of a version.
	InRoot Scope = "root"
	// InDefinition examples are the difference from a CRD of the namespaced kind Test with the single version v1, whose
	// .spec has the string fields f and other, and whose .status has the string field phase. This is also the schema of each
	// version that has no schema.
	InDefinition Scope = "definition"
	// InCluster rules concern more than two versions of a CRD: bundles, owners, objects. They have no example.
	InCluster Scope = "cluster"
)

// Code returns the stable, machine-readable code of the rule, such as CRD-101.
func (r Rule) Code() string { return "CRD-" + r.ID }

// Effects describe what happens to objects that were valid before the change, as measured against the packages of
// k8s.io/apiextensions-apiserver. Each is "ok", "same", "rejected", "lost", "pruned", "dropped", "defaulted", or empty.
type Effects struct {
	// Read is the content of a stored object after the change: same, pruned, dropped (nulls) or defaulted.
	Read string
	// Create is the creation of an object with the content of a stored one: a restore, another cluster.
	Create string
	// MetadataUpdate is an update that changes only metadata, such as finalizers or labels.
	MetadataUpdate string
	// SiblingUpdate is an update of another field of the same parent.
	SiblingUpdate string
	// OldClient is a write that the old schema allowed.
	OldClient string
	// Apply is a server-side apply of a stored object.
	Apply string
	// Rollback is what happens under the old schema to an object that only the new one allows: pruned, rejected, bricked.
	Rollback string
}

var rulesByID = func() map[string]Rule {
	byID := map[string]Rule{}
	for _, rule := range All {
		if _, twice := byID[rule.ID]; twice {
			panic("rules: duplicate ID " + rule.ID)
		}
		byID[rule.ID] = rule
	}
	return byID
}()

// ByCode returns the rule with the given code, such as CRD-101. It returns an error if there is no such rule.
func ByCode(code string) (Rule, error) {
	if len(code) > 4 && code[:4] == "CRD-" {
		if rule, ok := rulesByID[code[4:]]; ok {
			return rule, nil
		}
	}
	return Rule{}, fmt.Errorf("there is no rule %q", code)
}
