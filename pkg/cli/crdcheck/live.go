// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/report"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// live compares the inputs with the CRDs in the cluster, and validates its objects.
func (t *tool) live(ctx context.Context, inputs []string) (outcome, error) {
	source, err := t.options.cluster()
	if err != nil {
		return outcome{}, err
	}
	if t.options.TargetVersion == "" {
		if t.options.TargetVersion, err = source.version(); err != nil {
			return outcome{}, err
		}
	}
	wanted, err := t.merged(ctx, inputs)
	if err != nil {
		return outcome{}, err
	}
	stored := sets.Set{Name: source.host}
	var missing []string
	for _, name := range names(wanted) {
		definition, err := source.definition(ctx, name)
		switch {
		case err != nil:
			return outcome{}, err
		case definition == nil:
			missing = append(missing, name)
		default:
			stored.Members = append(stored.Members, sets.Member{CRD: definition})
		}
	}
	options := compare.Options{TargetVersion: t.options.TargetVersion}
	compared := sets.Compare(stored, wanted, options)
	pairs := sets.Pairs(stored, wanted)
	findings := compared.Findings
	var notes []string
	for _, name := range missing {
		notes = append(notes, name+" does not exist in the cluster yet")
	}
	for _, pair := range pairs {
		found, note := ownership(pair.Old.CRD, pair.New.CRD)
		findings = append(findings, found...)
		if note != "" {
			notes = append(notes, note)
		}
	}
	if !t.options.NoObjects {
		found, err := t.replay(ctx, source, changed(pairs))
		if err != nil {
			return outcome{}, err
		}
		findings = append(findings, found...)
	}
	document := report.Document{Report: rules.NewReport(findings...), Names: names(wanted), Place: placeIn(wanted), Notes: notes}
	document.Digest = compared.Digest
	if t.options.Reverse {
		back := sets.Reverse(stored, wanted, options)
		document.Rollback = &back
	}
	return outcome{document: document, pairs: pairs}, nil
}

// merged reads all inputs into one set.
func (t *tool) merged(ctx context.Context, inputs []string) (sets.Set, error) {
	loaded, err := t.read(ctx, inputs)
	if err != nil {
		return sets.Set{}, err
	}
	all := loaded[0]
	for _, set := range loaded[1:] {
		all.Members = append(all.Members, set.Members...)
		all.Services = append(all.Services, set.Services...)
		all.Chart = all.Chart || set.Chart
	}
	if len(all.Members) == 0 {
		return sets.Set{}, fmt.Errorf("%s: contains no CustomResourceDefinition", inputs[0])
	}
	return all, all.Validate()
}
