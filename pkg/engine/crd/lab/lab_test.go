// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/live"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// trial is a change of a CRD that the server has accepted.
type trial struct {
	oldRoot, newRoot schema
	old, new         *apiextensionsv1.CustomResourceDefinition
	// refused is set if the server would reject the new CRD.
	refused bool
}

// newTrial draws a trial. It skips the draw if the old CRD is invalid.
func newTrial(t *rapid.T) trial {
	root := schema{"type": "object", "properties": schema{"spec": objectSchema(t, 2), "status": objectSchema(t, 0)}}
	e := trial{oldRoot: runtime.DeepCopyJSON(root)}
	for range rapid.IntRange(1, 2).Draw(t, "changes") {
		alter(t, root)
	}
	e.newRoot = root
	var err error
	if e.old, err = definitionOf(e.oldRoot); err != nil {
		t.Fatal(err)
	}
	if e.new, err = definitionOf(e.newRoot); err != nil {
		t.Fatal(err)
	}
	if !accepted(e.old) {
		t.Skip("the old CRD is invalid")
	}
	e.refused = !accepted(e.new)
	return e
}

func (e trial) String() string {
	return fmt.Sprintf("old:\n%s\nnew:\n%s", printed(e.oldRoot), printed(e.newRoot))
}

// experiment is a change that the server accepts, and objects that were valid before the change.
type experiment struct {
	trial
	oldSchema, newSchema *live.Schema
	objects              []*unstructured.Unstructured
}

func newExperiment(t *rapid.T) experiment {
	e := experiment{trial: newTrial(t)}
	if e.refused {
		t.Skip("the new CRD is invalid")
	}
	var err error
	if e.oldSchema, err = live.NewSchema(e.old, "v1"); err != nil {
		t.Fatalf("the old CRD cannot be used: %v\n%s", err, e)
	}
	if e.newSchema, err = live.NewSchema(e.new, "v1"); err != nil {
		t.Fatalf("the new CRD cannot be used: %v\n%s", err, e)
	}
	e.draw(t)
	return e
}

// draw generates some objects that are valid under the old schema.
func (e *experiment) draw(t *rapid.T) {
	for range 4 {
		if object := validObject(t, e.old, e.oldSchema, e.oldRoot); object != nil {
			e.objects = append(e.objects, object)
		}
	}
}

// accepted reports whether the server would accept the creation of a CRD.
func accepted(definition *apiextensionsv1.CustomResourceDefinition) bool {
	internal := &apiextensions.CustomResourceDefinition{}
	definition = definition.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition,
		internal, nil); err != nil {
		return false
	}
	internal.Status.StoredVersions = []string{"v1"}
	return len(validation.ValidateCustomResourceDefinition(context.Background(), internal)) == 0
}

// validObject returns an object as the server stores it, or nil if the server would reject the drawn object.
func validObject(t *rapid.T, definition *apiextensionsv1.CustomResourceDefinition, s *live.Schema, root schema) *unstructured.Unstructured {
	content := map[string]any{}
	properties := root["properties"].(schema)
	for _, name := range []string{"spec", "status"} {
		if property, ok := properties[name].(schema); ok && (name == "spec" || maybe(t, 90)) {
			content[name] = valueOf(t, property)
		}
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetAPIVersion(definition.Spec.Group + "/" + definition.Spec.Versions[0].Name)
	object.SetKind(definition.Spec.Names.Kind)
	object.SetName("widget")
	if definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
		object.SetNamespace("team")
	}
	object, err := s.Read(object)
	ctx := context.Background()
	if err != nil || len(s.Create(ctx, object)) > 0 || len(s.UpdateMetadata(ctx, object)) > 0 || len(s.UpdateStatus(ctx, object)) > 0 ||
		len(s.Apply(object)) > 0 {
		return nil
	}
	return object
}

// outcome is the effect of the new schema on an object.
type outcome struct {
	effects []string
	// least is the mildest verdict that warns of the effect.
	least rules.Verdict
}

func (o *outcome) note(least rules.Verdict, format string, args ...any) {
	o.effects = append(o.effects, fmt.Sprintf(format, args...))
	if least.Compare(o.least) > 0 {
		o.least = least
	}
}

func (e experiment) outcomeOf(object *unstructured.Unstructured, report rules.Report) outcome {
	o := outcome{least: rules.Informational}
	read, err := e.newSchema.Read(object)
	if err != nil {
		o.note(rules.Destructive, "cannot be read: %v", err)
		return o
	}
	for _, d := range live.Differences(e.oldSchema, e.newSchema, object.Object, read.Object) {
		least := map[live.Effect]rules.Verdict{live.Pruned: rules.Destructive, live.NullDefaulted: rules.Breaking}[d.Effect]
		if least == "" {
			least = rules.Review
		}
		// An unrestricted value that becomes typed counts as a type change, regardless of the value (row 115).
		if d.Effect == live.Pruned && introduced(report, d.Path) {
			least = rules.Breaking
		}
		o.note(least, "%s: %s", d.Effect, d.Example)
	}
	ctx := context.Background()
	for _, err := range e.newSchema.UpdateMetadata(ctx, read) {
		least := rules.Destructive
		// Scale paths that point at a value other than a number are reported as changes of the scale (row D12).
		if strings.Contains(err.Detail, "accessor error") {
			least = rules.Breaking
		}
		o.note(least, "metadata update: %v", err)
	}
	for _, err := range e.newSchema.Create(ctx, read) {
		o.note(rules.Breaking, "create: %v", err)
	}
	for _, err := range e.newSchema.UpdateStatus(ctx, read) {
		o.note(rules.Breaking, "status update: %v", err)
	}
	for _, err := range e.newSchema.Apply(object) {
		o.note(rules.Breaking, "server-side apply: %v", err)
	}
	return o
}

// introduced reports whether a path of a schema contains a field that is typed now and accepted any value
// before. According to the table (row 115), the verdict is B if the type is a scalar, although an object
// in its place loses its keys.
func introduced(report rules.Report, path string) bool {
	return slices.ContainsFunc(report.Findings, func(f rules.Finding) bool {
		return f.Code == "CRD-115" && f.Verdict == rules.Breaking && (strings.HasPrefix(path, f.Path+".") || strings.HasPrefix(path, f.Path+"["))
	})
}

func TestCompare_WarnsOfEveryEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if complaint := newExperiment(t).complaint(); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// complaint describes an object for which the verdict is milder than the effect; empty if there is none.
func (e experiment) complaint() string {
	report := compare.Compare(e.old, e.new, compare.Options{})
	for _, object := range e.objects {
		if o := e.outcomeOf(object, report); !report.Verdict.AtLeast(o.least) {
			return fmt.Sprintf("The effects require the verdict %s, but the verdict is %s.\n\neffects:\n- "+
				"%s\n\n%s\nobject:\n%s\nfindings:\n%s",
				o.least, report.Verdict, strings.Join(o.effects, "\n- "), e, printed(object.Object), listed(report.Findings))
		}
	}
	return ""
}

func TestCompare_RefusedVerdictMatchesServer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newTrial(t)
		report := compare.Compare(e.old, e.new, compare.Options{})
		if refused := report.Verdict == rules.Refused; refused != e.refused {
			t.Fatalf("The server rejects the new CRD: %t, but the verdict is %s.\n\n%s\nfindings:\n%s", e.refused, report.Verdict,
				e, listed(report.Findings))
		}
	})
}

// TestExperiments_ShowEveryEffect checks that the draws cover every effect of the server; otherwise
// TestCompare_WarnsOfEveryEffect proves nothing.
func TestExperiments_ShowEveryEffect(t *testing.T) {
	seen := map[string]int{}
	draws := rapid.Custom(func(t *rapid.T) map[string]int {
		e := newExperiment(t)
		effects := map[string]int{"drawn": 1, "objects": len(e.objects)}
		for _, object := range e.objects {
			for _, effect := range e.outcomeOf(object, rules.Report{}).effects {
				kind, _, _ := strings.Cut(effect, ":")
				effects[kind]++
			}
		}
		return effects
	})
	for seed := range 250 {
		for effect, count := range draws.Example(seed) {
			seen[effect] += count
		}
	}
	for _, effect := range []string{"pruned", "null dropped", "defaulted", "create", "metadata update", "status update", "server-side apply"} {
		assert.NotZero(t, seen[effect], "%s in %v", effect, seen)
	}
	assert.Greater(t, seen["objects"], 2*seen["drawn"], "too few objects are valid")
	t.Logf("seen: %v", seen)
}

func printed(value any) string {
	encoded, err := yaml.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

func listed(findings []rules.Finding) string {
	lines := make([]string, len(findings))
	for i, finding := range findings {
		lines[i] = fmt.Sprintf("- %s %s %s: %s", finding.Code, finding.Verdict, finding.Path, finding.Message)
	}
	return strings.Join(lines, "\n")
}
