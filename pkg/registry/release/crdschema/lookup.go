// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/registry/release/common"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// facts are the inputs of the review of a new CRDSchema. Nil means that an object does not exist,
// or is not named.
type facts struct {
	definition *apiextensionsv1.CustomResourceDefinition
	// caller creates the CRDSchema; controllerUser is the user of Roadstead's controller.
	caller, controllerUser string
	version                *release.OperatorVersion
	operator               *release.Operator
	// named is the CRDSchema in spec.againstRef.
	named *crdpolicy.Side
	// baseline is the CRDSchema that precedes the one of the OperatorVersion, independent of
	// spec.againstRef.
	baseline *crdpolicy.Side
	lost     []crdpolicy.LostEvidence
}

// reader reads the objects that the review of a new CRDSchema needs.
type reader struct {
	objects *lookup.Objects
	// controllerUser is the user of Roadstead's controller.
	controllerUser string
}

// judgeNew reads the facts about a new CRDSchema and reviews it. Content that is not a CRD is not
// reviewed, because validation refuses it.
func (r reader) judgeNew(ctx context.Context, schema *release.CRDSchema) (judgement, error) {
	// The strategy has not prepared the object yet, so the content may have another encoding than
	// JSON.
	content := common.JSON(schema.Spec.Definition, runtime.RawExtension{}, validation.SameDefinition)
	definition, errs := validation.ValidateDefinition(content, field.NewPath("spec", "definition"))
	if len(errs) > 0 {
		return judgement{}, nil
	}
	known := facts{definition: definition, caller: common.Caller(ctx), controllerUser: r.controllerUser}
	for _, find := range []func(context.Context, *release.CRDSchema, *facts) error{r.findVersion, r.findNamed, r.findBaseline} {
		if err := find(ctx, schema, &known); err != nil {
			return judgement{}, err
		}
	}
	return judge(schema, known), nil
}

func (r reader) findVersion(ctx context.Context, schema *release.CRDSchema, known *facts) (err error) {
	ref := schema.Spec.OperatorVersionRef
	if ref == nil || ref.Name == "" {
		return nil
	}
	if known.version, err = r.objects.OperatorVersion(ctx, ref.Name); err != nil || known.version == nil {
		return err
	}
	known.operator, err = r.objects.Operator(ctx, known.version.Spec.OperatorRef.Name)
	return err
}

func (r reader) findNamed(ctx context.Context, schema *release.CRDSchema, known *facts) error {
	ref := schema.Spec.AgainstRef
	if ref == nil || ref.Name == "" { // an empty name is refused by a tag
		return nil
	}
	found, err := r.evidence(ctx, ref.Name)
	if err != nil {
		return err
	}
	known.named, err = side(found)
	return err
}

// findBaseline finds the trusted CRDSchema that precedes the CRD.
func (r reader) findBaseline(ctx context.Context, _ *release.CRDSchema, known *facts) error {
	if known.version == nil {
		return nil
	}
	stored, err := r.objects.Versions(ctx)
	if err != nil {
		return err
	}
	all := make([]crdpolicy.Version, 0, len(stored))
	for i := range stored {
		all = append(all, evidence.Version(&stored[i]))
	}
	crd := known.definition.Name
	found, err := crdpolicy.FindBaseline(crdpolicy.Predecessors(evidence.Version(known.version), crd, all), crd,
		r.controllerUser, release.CRDSchemaName,
		func(name string) (*crdpolicy.Evidence, error) { return r.evidence(ctx, name) })
	if err != nil {
		return err
	}
	known.lost = found.Lost
	known.baseline, err = side(found.Evidence)
	return err
}

func (r reader) evidence(ctx context.Context, name string) (*crdpolicy.Evidence, error) {
	found, err := r.objects.CRDSchema(ctx, name)
	if err != nil {
		return nil, err
	}
	return evidence.Of(found), nil
}

func side(found *crdpolicy.Evidence) (*crdpolicy.Side, error) {
	decoded, err := crdpolicy.NewSide(found)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("decode a stored CRD: %w", err))
	}
	return decoded, nil
}

// comparison returns the comparison of the CRD with its baseline. Without an OperatorVersion the
// baseline is the CRDSchema in spec.againstRef.
func (f facts) comparison() crdpolicy.Comparison {
	compared := crdpolicy.Comparison{New: f.definition, Baseline: f.baseline, Lost: f.lost}
	switch {
	case f.named == nil:
	case f.version == nil:
		compared.Baseline = f.named
	case f.baseline == nil || f.baseline.Name != f.named.Name:
		compared.Chosen = f.named
	}
	return compared
}

// requester returns the user that requested the CRD; empty if unknown. The controller is never the
// requester, because it acts only on requests of users.
func (f facts) requester() string {
	switch {
	case f.caller != f.controllerUser:
		return f.caller
	case f.version == nil:
		return ""
	case f.version.Status.RequestedBy == "" && f.version.Status.CreatedBy != f.controllerUser:
		return f.version.Status.CreatedBy // stored by a release that did not record requesters
	}
	return f.version.Status.RequestedBy
}
