// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/report"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// outcome is the result of a run.
type outcome struct {
	document report.Document
	// pairs are the CRDs that are in both inputs.
	pairs []sets.Pair
}

func (t *tool) run(ctx context.Context, inputs []string) error {
	var result outcome
	var err error
	if t.options.Live {
		result, err = t.live(ctx, inputs)
	} else {
		result, err = t.offline(ctx, inputs[0], inputs[1])
	}
	if err != nil {
		return err
	}
	t.verdict = result.document.Verdict
	return t.show(result)
}

// read reads inputs in parallel, because reading takes most of the time.
func (t *tool) read(ctx context.Context, inputs []string) ([]sets.Set, error) {
	loaded := make([]sets.Set, len(inputs))
	var group errgroup.Group
	for i, input := range inputs {
		group.Go(func() (err error) {
			loaded[i], err = t.readOne(ctx, input)
			return err
		})
	}
	return loaded, group.Wait()
}

func (t *tool) readOne(ctx context.Context, input string) (sets.Set, error) {
	options := bundle.ChartOptions{
		ValueFiles: t.options.Values, Values: t.options.Set, KubeVersion: t.options.TargetVersion,
		APIVersions: t.options.APIVersions, Release: t.options.Release, Namespace: t.options.Namespace,
	}
	if t.options.Chart {
		return bundle.ReadChart(ctx, input, options)
	}
	return bundle.Read(ctx, input, bundle.Options{Stdin: t.stdin, Chart: options})
}

func (t *tool) offline(ctx context.Context, old, new string) (outcome, error) {
	loaded, err := t.read(ctx, []string{old, new})
	if err != nil {
		return outcome{}, err
	}
	options := compare.Options{TargetVersion: t.options.TargetVersion}
	document := report.Document{
		Report: sets.Compare(loaded[0], loaded[1], options),
		Names:  names(loaded...),
		Place:  placeIn(loaded[1], loaded[0]),
	}
	if t.options.Reverse {
		back := sets.Reverse(loaded[0], loaded[1], options)
		document.Rollback = &back
	}
	for _, note := range []string{came(loaded[0], loaded[1]), untouched(loaded[0], loaded[1])} {
		if note != "" {
			document.Notes = append(document.Notes, note)
		}
	}
	if len(loaded[0].Members) == 0 && len(loaded[1].Members) == 0 {
		document.Notes = append(document.Notes,
			"neither chart contains a CustomResourceDefinition; if values enable them, set these with --values or --set")
	}
	return outcome{document: document, pairs: sets.Pairs(loaded[0], loaded[1])}, nil
}

// changed returns the pairs whose specs differ.
func changed(pairs []sets.Pair) []sets.Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p sets.Pair) bool { return !p.Changed() })
}

// names returns the names of all CRDs, sorted.
func names(loaded ...sets.Set) []string {
	var all []string
	for _, set := range loaded {
		for _, member := range set.Members {
			all = append(all, member.CRD.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// came returns a note about new CRDs.
func came(old, new sets.Set) string {
	switch added := without(names(new), names(old)); len(added) {
	case 0:
		return ""
	case 1:
		return added[0] + " is new"
	default:
		return fmt.Sprintf("%d CustomResourceDefinitions are new: %s", len(added), listed(added))
	}
}

// untouched returns a note about new and changed CRDs that helm upgrade does not install.
func untouched(old, new sets.Set) string {
	if !old.Chart || !new.Chart {
		return ""
	}
	moving := without(names(new), names(old))
	for _, pair := range changed(sets.Pairs(old, new)) {
		moving = append(moving, pair.New.CRD.Name)
	}
	var left []string
	for _, member := range new.Members {
		if member.Origin == sets.CRDsFolder && slices.Contains(moving, member.CRD.Name) {
			left = append(left, member.CRD.Name)
		}
	}
	if len(left) == 0 {
		return ""
	}
	slices.Sort(left)
	return "helm upgrade does not update the contents of a crds folder; to have the new version of " + listed(slices.Compact(left)) +
		" in the cluster, apply it before the upgrade (kubectl apply --server-side)"
}

func without(all, some []string) []string {
	return slices.DeleteFunc(all, func(one string) bool { return slices.Contains(some, one) })
}

// listed returns the first five names.
func listed(all []string) string {
	const most = 5
	if len(all) > most {
		return strings.Join(all[:most], ", ") + ", …"
	}
	return strings.Join(all, ", ")
}

// placeIn returns where a CRD was read, from the first set that contains it.
func placeIn(loaded ...sets.Set) func(string) (string, int) {
	return func(name string) (string, int) {
		for _, set := range loaded {
			for _, member := range set.Members {
				if member.CRD.Name != name {
					continue
				}
				return fileOf(set, member), member.Line
			}
		}
		return "", 0
	}
}

// fileOf returns a local file: names in a chart begin with the name of the chart, and a packed
// chart is one file.
func fileOf(set sets.Set, member sets.Member) string {
	switch {
	case !set.Chart:
		return member.File
	case strings.HasSuffix(set.Name, "gz"):
		return set.Name
	}
	_, within, _ := strings.Cut(filepath.ToSlash(member.File), "/")
	return filepath.Join(set.Name, filepath.FromSlash(within))
}
