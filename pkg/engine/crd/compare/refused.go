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

// refused is pass 1: what the API server rejects, according to its own validation of an update. Errors
// that the old CRD has in the same place are not caused by the change and are not reported.
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
		c.Find("X01", rules.Place{}, nil, nil, "the result of the API server is unknown: its validation of the CRD failed: %s", err)
		return
	}
	if len(refusals) == 0 {
		return
	}
	before, err := refusalsOf(c.Old, c.Old)
	if err != nil {
		// Without a baseline, all errors of the new CRD are reported.
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
		c.Find(id, r.at, was, r.value,
			"the API server rejects the change of %s from %s to %v: the field is immutable because the CRD is Established",
			r.at.Path, was, r.value)
	case "D02", "D05":
		was := c.immutableFields()[r.at.Path]
		c.Find(id, r.at, was, r.value, "the API server rejects the change of %s from %s to %v: the field is part of the CRD's name and immutable",
			r.at.Path, was, r.value)
	case "E02":
		c.Find(id, r.at, r.value, nil,
			"the API server rejects the removal of version %s: according to status.storedVersions, objects may be stored in it", r.at.Version)
	case "E03":
		c.Find(id, r.at, r.value, nil, "the API server rejects the removal of version %s in the same update in which another version "+
			"becomes the storage version: all objects are stored in it", r.at.Version)
	case "E15":
		c.Find(id, r.at, nil, nil, "the API server rejects version %s without a schema: every field of its objects would be pruned",
			r.at.Version)
	default:
		c.Find(id, r.at, nil, r.value, "%s", r.message())
	}
}

// immutableFields are the values of the old CRD that the server may treat as immutable.
func (c *comparison) immutableFields() map[string]string {
	spec := &c.Old.Spec
	return map[string]string{
		"spec.scope": string(spec.Scope), "spec.group": spec.Group, "spec.names.kind": spec.Names.Kind, "spec.names.plural": spec.Names.Plural,
	}
}

// unestablished reports changes of scope and kind that are accepted only because the kind is not served yet.
func (c *comparison) unestablished() {
	if established(&c.Old.Status) {
		return
	}
	if c.Old.Spec.Scope != c.New.Spec.Scope {
		c.Find("D20", rules.Place{Path: "spec.scope"}, string(c.Old.Spec.Scope), string(c.New.Spec.Scope),
			"the scope changes from %s to %s, which the API server accepts because the old CRD is not Established: objects that are "+
				"already stored cannot be accessed in the new scope",
			c.Old.Spec.Scope, c.New.Spec.Scope)
	}
	if c.Old.Spec.Names.Kind != c.New.Spec.Names.Kind {
		c.Find("D20", rules.Place{Path: "spec.names.kind"}, c.Old.Spec.Names.Kind, c.New.Spec.Names.Kind,
			"the kind changes from %s to %s, which the API server accepts because the old CRD is not Established: objects that are "+
				"already stored have the old kind and cannot be read",
			c.Old.Spec.Names.Kind, c.New.Spec.Names.Kind)
	}
}

// established reports whether the kind is served according to a status.
func established(status *apiextensionsv1.CustomResourceDefinitionStatus) bool {
	return slices.ContainsFunc(status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}

// tooDeep reports whether a schema is nested too deep. The validation would exhaust its stack, which
// recover cannot catch.
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
					"the schema of version %s is nested deeper than %d levels: it is not compared, and the API server cannot serve it reliably",
					version.Name, manifest.DeepestSchema)
			}
			deep = true
		}
	}
	return deep
}

// refusalsOf returns the errors of an update from old to new as the strategy of the API server reports
// them. The validation expects CRDs that passed an API server before; if it panics, refusalsOf returns
// an error.
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

// internalForm returns the CRD as the server validates it, with the minimum of metadata of a stored object.
func internalForm(definition *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	internal := &apiextensions.CustomResourceDefinition{}
	err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("convert to the internal version: %w", err)
	}
	internal.ObjectMeta = metav1.ObjectMeta{
		Name: "definition", ResourceVersion: "1", Generation: 1, Labels: definition.Labels, Annotations: definition.Annotations,
	}
	return internal, nil
}

// prepareForUpdate prepares an update like the strategy of the API server: it keeps the status and adds
// the storage version to it.
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
	// The order of a map decides which of several equally expensive rules the server names, so they are not compared.
	if err.Detail == contributes {
		return refusal{}, false
	}
	at, keyword := placeOf(err.Field, definition)
	if name, ok := err.BadValue.(string); ok && strings.HasPrefix(err.Detail, missingVersion) {
		at = rules.Place{Version: name, Path: "status.storedVersions"}
	}
	return refusal{at: at, keyword: keyword, kind: err.Type, detail: err.Detail, value: shortValue(err.BadValue)}, true
}
