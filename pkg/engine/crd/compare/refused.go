// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// refused is pass 1: what the API server would refuse, by its own validation of an update. What the old definition does
// wrong in the same place is not the change's doing and stays silent.
func (c *comparison) refused() {
	if apiequality.Semantic.DeepEqual(c.Old.Spec, c.New.Spec) {
		return
	}
	c.unestablished()
	c.olderServer()
	if c.tooDeep() || c.trusting {
		return
	}
	refusals, err := refusalsOf(c.Old, c.New)
	if err != nil {
		c.Find("X01", rules.Place{}, nil, nil, "it cannot be told what the API server says: its validation of the definition failed: %s", err)
		return
	}
	if len(refusals) == 0 {
		return
	}
	before, err := refusalsOf(c.Old, c.Old)
	if err != nil {
		// Without a baseline everything counts: the server says all of it.
		before = nil
	}
	known := map[refusalKey]bool{}
	for _, refusal := range before {
		for _, key := range refusal.keys(c.Old) {
			known[key] = true
		}
	}
	for _, refusal := range refusals {
		keys := refusal.keys(c.New)
		if !slices.ContainsFunc(keys, func(key refusalKey) bool { return !known[key] }) {
			continue
		}
		c.refuse(refusal)
	}
}

// refuse adds the finding of a refusal.
func (c *comparison) refuse(r refusal) {
	id := c.ruleOf(r)
	switch id {
	case "D01", "D03":
		was := c.immutableFields()[r.at.Path]
		c.Find(id, r.at, was, r.value, "the API server refuses to change %s from %s to %v: it is immutable since the definition is Established",
			r.at.Path, was, r.value)
	case "D02", "D05":
		was := c.immutableFields()[r.at.Path]
		c.Find(id, r.at, was, r.value, "the API server refuses to change %s from %s to %v: it is part of the definition's name and immutable",
			r.at.Path, was, r.value)
	case "E02":
		c.Find(id, r.at, r.value, nil,
			"the API server refuses to remove version %s: status.storedVersions says that objects may be stored in it", r.at.Version)
	case "E03":
		c.Find(id, r.at, r.value, nil, "the API server refuses to remove version %s in the same step in which another version becomes "+
			"the storage version: all objects are stored in it", r.at.Version)
	case "E15":
		c.Find(id, r.at, nil, nil, "the API server refuses version %s without a schema: it would have to prune every field of its objects",
			r.at.Version)
	default:
		c.Find(id, r.at, nil, r.value, "%s", r.message())
	}
}

// immutableFields are the values of the old definition that the server may hold on to.
func (c *comparison) immutableFields() map[string]string {
	spec := &c.Old.Spec
	return map[string]string{
		"spec.scope": string(spec.Scope), "spec.group": spec.Group, "spec.names.kind": spec.Names.Kind, "spec.names.plural": spec.Names.Plural,
	}
}

// unestablished finds changes of scope and kind that are accepted only because the kind is not served yet.
func (c *comparison) unestablished() {
	if established(&c.Old.Status) {
		return
	}
	if c.Old.Spec.Scope != c.New.Spec.Scope {
		c.Find("D20", rules.Place{Path: "spec.scope"}, string(c.Old.Spec.Scope), string(c.New.Spec.Scope),
			"the scope changes from %s to %s, and the API server accepts it because the old definition is not Established: objects that "+
				"are stored already are out of reach under the new scope",
			c.Old.Spec.Scope, c.New.Spec.Scope)
	}
	if c.Old.Spec.Names.Kind != c.New.Spec.Names.Kind {
		c.Find("D20", rules.Place{Path: "spec.names.kind"}, c.Old.Spec.Names.Kind, c.New.Spec.Names.Kind,
			"the kind changes from %s to %s, and the API server accepts it because the old definition is not Established: objects that "+
				"are stored already carry the old kind and cannot be read",
			c.Old.Spec.Names.Kind, c.New.Spec.Names.Kind)
	}
}

// established reports whether a status says that the kind is served.
func established(status *apiextensionsv1.CustomResourceDefinitionStatus) bool {
	return slices.ContainsFunc(status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}

// tooDeep keeps schemas away from the validation that would exhaust its stack, which no recover catches.
func (c *comparison) tooDeep() bool {
	deep := false
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{c.Old, c.New} {
		for i := range definition.Spec.Versions {
			version := &definition.Spec.Versions[i]
			if version.Schema == nil || !manifest.DeeperThan(version.Schema.OpenAPIV3Schema, manifest.DeepestSchema) {
				continue
			}
			if definition == c.New {
				c.Find("X01", rules.Place{Version: version.Name}, nil, nil,
					"the schema of version %s is nested deeper than %d levels: it is not checked, and the API server would not serve it well",
					version.Name, manifest.DeepestSchema)
			}
			deep = true
		}
	}
	return deep
}

// refusalsOf are the errors of an update from old to new, as the strategy of the API server finds them. A panic of the
// validation, which is written for definitions that passed a server once, is an error.
func refusalsOf(old, new *apiextensionsv1.CustomResourceDefinition) (refusals []refusal, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("%v", failure)
		}
	}()
	internalOld, err := internalForm(old)
	if err != nil {
		return nil, err
	}
	internalNew, err := internalForm(new)
	if err != nil {
		return nil, err
	}
	prepareForUpdate(internalNew, internalOld)
	for _, err := range validation.ValidateCustomResourceDefinitionUpdate(context.Background(), internalNew, internalOld) {
		if refusal, worthwhile := newRefusal(err, new); worthwhile {
			refusals = append(refusals, refusal)
		}
	}
	return refusals, nil
}

// internalForm is the definition as the server validates it, with just enough metadata to be the stored one.
func internalForm(definition *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	internal := &apiextensions.CustomResourceDefinition{}
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("it cannot be converted: %w", err)
	}
	internal.ObjectMeta = metav1.ObjectMeta{
		Name: "definition", ResourceVersion: "1", Generation: 1, Labels: definition.Labels, Annotations: definition.Annotations,
	}
	return internal, nil
}

// prepareForUpdate does what the strategy does before it validates: the status stays, but for the storage version.
func prepareForUpdate(new, old *apiextensions.CustomResourceDefinition) {
	new.Status = *old.Status.DeepCopy()
	for _, version := range new.Spec.Versions {
		if version.Storage {
			new.Status.StoredVersions = manifest.WithVersion(new.Status.StoredVersions, version.Name)
			return
		}
	}
}

func newRefusal(err *field.Error, definition *apiextensionsv1.CustomResourceDefinition) (refusal, bool) {
	// The rules that contribute to a total that is too high: of equal ones, those named depend on the order of a map.
	if err.Detail == contributes {
		return refusal{}, false
	}
	at, keyword := placeOf(err.Field, definition)
	if name, ok := err.BadValue.(string); ok && strings.HasPrefix(err.Detail, missingVersion) {
		at = rules.Place{Version: name, Path: "status.storedVersions"}
	}
	return refusal{at: at, keyword: keyword, kind: err.Type, detail: err.Detail, value: shortValue(err.BadValue)}, true
}
