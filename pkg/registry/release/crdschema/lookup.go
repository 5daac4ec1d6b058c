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
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/crdreview"
	"roadstead.dev/roadstead/pkg/registry/release/common"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// facts are what a new CRDSchema is judged by. Nil is what is not there, or not named.
type facts struct {
	definition *apiextensionsv1.CustomResourceDefinition
	version    *release.OperatorVersion
	operator   *release.Operator
	// against is the CRDSchema to compare with, and old the definition in it.
	against *release.CRDSchema
	old     *apiextensionsv1.CustomResourceDefinition
}

// judgeNew looks up what a new CRDSchema is judged by, and judges. What is no definition is not judged: validation refuses it.
func judgeNew(ctx context.Context, schema *release.CRDSchema, objects *lookup.Objects) (judgement, error) {
	// The strategy has not prepared the object yet: it may still hold what another encoding than JSON brought.
	content := common.JSON(schema.Spec.Definition, runtime.RawExtension{}, validation.SameDefinition)
	definition, errs := validation.ValidateDefinition(content, field.NewPath("spec", "definition"))
	if len(errs) > 0 {
		return judgement{}, nil
	}
	known := facts{definition: definition}
	var err error
	if ref := schema.Spec.OperatorVersionRef; ref != nil && ref.Name != "" {
		if known.version, err = objects.OperatorVersion(ctx, ref.Name); err != nil {
			return judgement{}, err
		}
	}
	if known.version != nil {
		if known.operator, err = objects.Operator(ctx, known.version.Spec.OperatorRef.Name); err != nil {
			return judgement{}, err
		}
	}
	if known.against, err = baseline(ctx, schema, known, objects); err != nil {
		return judgement{}, err
	}
	if known.against != nil {
		if known.old, err = crdreview.Decode(known.against.Spec.Definition.Raw); err != nil {
			return judgement{}, apierrors.NewInternalError(fmt.Errorf("the definition that is stored in CRDSchema %q cannot be read: %w", known.against.Name, err))
		}
	}
	return judge(schema, known), nil
}

// baseline finds the CRDSchema to compare with: the one that is named, else that of the newest lower version of the operator
// which has the definition. One that waits for an approval or was rejected is passed over: no cluster may have it, and what
// it breaks must not be taken for granted by the next version.
func baseline(ctx context.Context, schema *release.CRDSchema, known facts, objects *lookup.Objects) (*release.CRDSchema, error) {
	if ref := schema.Spec.AgainstRef; ref != nil {
		if ref.Name == "" {
			return nil, nil // told by a tag
		}
		return objects.CRDSchema(ctx, ref.Name)
	}
	if known.version == nil {
		return nil, nil
	}
	siblings, err := objects.VersionsOf(ctx, known.version.Spec.OperatorRef.Name)
	if err != nil {
		return nil, err
	}
	versions := make([]crdreview.Version, 0, len(siblings))
	for i := range siblings {
		versions = append(versions, crdreview.Version{Name: siblings[i].Name, Version: siblings[i].Spec.Version})
	}
	for _, lower := range crdreview.Lower(known.version.Spec.Version, versions) {
		found, err := objects.CRDSchema(ctx, crdreview.SchemaName(lower.Name, known.definition.Name))
		if err != nil {
			return nil, err
		}
		if found != nil && found.Status.Approval != release.ApprovalPending && found.Status.Approval != release.ApprovalRejected {
			return found, nil
		}
	}
	return nil, nil
}
