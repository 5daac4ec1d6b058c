// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// replayer replays objects.
type replayer struct {
	old, new *Schema
	topology []topologyChange
	// gone contains the versions of old that new does not have.
	gone map[string]bool
}

func newReplayer(old, new *apiextensionsv1.CustomResourceDefinition, version string) (*replayer, error) {
	r := &replayer{gone: map[string]bool{}}
	var err error
	if r.old, err = NewSchema(old, version); err != nil {
		return nil, fmt.Errorf("old CRD: %w", err)
	}
	if r.new, err = NewSchema(new, version); err != nil {
		return nil, fmt.Errorf("new CRD: %w", err)
	}
	r.topology = topologyChanges(r.old, r.new)
	for _, was := range old.Spec.Versions {
		r.gone[was.Name] = true
	}
	for _, is := range new.Spec.Versions {
		delete(r.gone, is.Name)
	}
	return r, nil
}

// replay returns the problems of one object. Problems under the old schema are not returned. A panic of
// the server's code is returned as an error.
func (r *replayer) replay(ctx context.Context, object *unstructured.Unstructured) (hits []hit, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			hits, err = nil, fmt.Errorf("%v", failure)
		}
	}()
	before, err := r.old.Read(object)
	if err != nil {
		return nil, err
	}
	after, err := r.new.Read(before)
	if err != nil {
		return nil, err
	}
	hits = r.reading(before, after)
	hits = append(hits, r.writing(ctx, before, after)...)
	hits = append(hits, r.applying(before)...)
	return hits, nil
}

// reading returns the changes of an object that is only read.
func (r *replayer) reading(before, after *unstructured.Unstructured) []hit {
	var hits []hit
	for _, d := range Differences(r.old, r.new, before.Object, after.Object) {
		h := hit{problem: problem{path: d.Path, kind: string(d.Effect)}}
		switch d.Effect {
		case Pruned:
			h.rule, h.detail = "L01", "it loses "+d.Example
		case NullDropped:
			h.rule, h.detail = "L08", "the null at "+d.Example+" is dropped"
		case NullDefaulted:
			// The client that wrote null did not request the default.
			h.rule, h.verdict, h.detail = "L08", rules.Breaking, "the null at "+d.Example+" becomes the default"
		case Defaulted:
			h.rule, h.detail = "L05", "it gets "+d.Example
		}
		hits = append(hits, h)
	}
	return hits
}

// writing returns the rejected writes. Errors that block every update are not repeated as validation errors.
func (r *replayer) writing(ctx context.Context, before, after *unstructured.Unstructured) []hit {
	bricked := r.rejected("L03", after, r.new.UpdateMetadata(ctx, after), func() field.ErrorList { return r.old.UpdateMetadata(ctx, before) })
	hits := bricked
	known := map[problem]bool{}
	for _, h := range bricked {
		known[problem{"L02", h.path, h.kind}] = true
	}
	for _, h := range append(
		r.rejected("L02", after, r.new.Create(ctx, after), func() field.ErrorList { return r.old.Create(ctx, before) }),
		r.rejected("L02", after, r.new.UpdateStatus(ctx, after), func() field.ErrorList { return r.old.UpdateStatus(ctx, before) })...) {
		if !known[h.problem] {
			known[h.problem] = true
			hits = append(hits, h)
		}
	}
	return hits
}

// rejected returns the errors of a write of an object that the same write does not cause under the old schema.
func (r *replayer) rejected(rule string, object *unstructured.Unstructured, errs field.ErrorList, oldErrs func() field.ErrorList) []hit {
	if len(errs) == 0 {
		return nil
	}
	at := node{r.old.structural, r.new.structural}
	known := map[string]bool{}
	for _, err := range oldErrs() {
		known[sameError(err)] = true
	}
	var hits, summaries []hit
	for _, err := range errs {
		if known[sameError(err)] {
			continue
		}
		field, summary := fieldOf(err)
		h := hit{problem: problem{rule, placeOf(field, object.Object, at), string(err.Type)}, detail: saying(err)}
		if summary {
			summaries = append(summaries, h)
		} else {
			hits = append(hits, h)
		}
	}
	// Summaries repeat the errors of their branches.
	for _, summary := range summaries {
		if !slices.ContainsFunc(hits, func(h hit) bool { return within(h.path, summary.path) }) {
			hits = append(hits, summary)
		}
	}
	return hits
}

// within reports whether path is equal to other or below it.
func within(path, other string) bool {
	return strings.HasPrefix(path, other) && endsAt(path, len(other))
}

// summarised matches the errors of junctors and of numbers out of range, which name their place only in the text.
var summarised = regexp.MustCompile(`^"([^"]*)" must (?:not )?validate |^Checked value must .* in (\S+)$`)

// fieldOf returns the place of an error, and whether the error summarizes others.
func fieldOf(err *field.Error) (path string, summary bool) {
	if err.Field != "" && err.Field != "<nil>" {
		return err.Field, false
	}
	if found := summarised.FindStringSubmatch(err.Detail); found != nil {
		return found[1] + found[2], true
	}
	return "", false
}

// sameError returns a key that identifies an error under both schemas. A value that violates a bound or
// pattern may violate the changed one, too, so details are ignored; CEL rules have only their messages.
func sameError(err *field.Error) string {
	key := string(err.Type) + " " + err.Field
	if err.Type == field.ErrorTypeInvalid && !strings.Contains(err.Detail, " in body ") {
		key += " " + err.Detail
	}
	return key
}

func saying(err *field.Error) string {
	at, _ := fieldOf(err)
	if at == "" {
		at = "the object"
	}
	if err.Detail == "" {
		return fmt.Sprintf("%s: %s", at, strings.ToLower(err.Type.String()))
	}
	return fmt.Sprintf("%s: %s: %s", at, strings.ToLower(err.Type.String()), strings.Join(strings.Fields(err.Detail), " "))
}

// applying returns the failures of server-side apply. The manifest is the object as the old schema
// accepted it.
func (r *replayer) applying(before *unstructured.Unstructured) []hit {
	var hits []hit
	if errs := r.new.Apply(before); len(errs) > 0 {
		known := map[typed.ValidationError]bool{}
		for _, err := range r.old.Apply(before) {
			known[err] = true
		}
		for _, err := range errs {
			if !known[err] {
				path := placeOf(err.Path, before.Object, node{r.old.structural, r.new.structural})
				hits = append(hits, hit{problem: problem{"L04", path, ""}, detail: err.Error()})
			}
		}
	}
	for _, entry := range before.GetManagedFields() {
		version, err := schema.ParseGroupVersion(entry.APIVersion)
		if err == nil && version.Group == r.new.kind.Group && r.gone[version.Version] {
			hits = append(hits, hit{problem: problem{"L04", ".metadata.managedFields", version.Version},
				detail: fmt.Sprintf("manager %s owns fields in version %s, which was removed", entry.Manager, version.Version)})
		}
	}
	for path, managers := range coOwned(before, r.topology) {
		hits = append(hits, hit{problem: problem{"L07", path, ""}, detail: strings.Join(managers, ", ") + ": " + r.what(path)})
	}
	return hits
}

// what describes the change of the topology at a path.
func (r *replayer) what(path string) string {
	for _, change := range r.topology {
		if change.path == path {
			return change.what
		}
	}
	return ""
}
