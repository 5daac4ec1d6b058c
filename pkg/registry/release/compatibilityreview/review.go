// SPDX-License-Identifier: Apache-2.0

package compatibilityreview

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

const (
	// maxFindings is the maximum number of findings in a response.
	maxFindings = 1000
	// maxDefinition is the maximum size of a CRD in bytes of JSON, the same as in a CRDSchema.
	maxDefinition = 3 << 20
)

// question is a decoded review.
type question struct {
	old, new *apiextensionsv1.CustomResourceDefinition
	policy   crdpolicy.Policy
}

// read decodes and validates a review.
func (r *REST) read(ctx context.Context, review *release.CompatibilityReview) (question, field.ErrorList, error) {
	path := field.NewPath("spec")
	spec := &review.Spec
	errs := r.declared(ctx, review)
	asked := question{policy: crdpolicy.Policy(spec.Policy)}

	switch {
	case (spec.Old == nil) == (spec.OldRef == nil):
		errs = append(errs, field.Invalid(path.Child("old"), field.OmitValueType{}, "exactly one of spec.old and spec.oldRef must be set"))
	case spec.Old != nil:
		asked.old, errs = decode(spec.Old, path.Child("old"), errs)
	case len(errs) == 0:
		schema, err := r.objects.CRDSchema(ctx, spec.OldRef.Name)
		if err != nil {
			return question{}, nil, err
		}
		if schema == nil {
			errs = append(errs, field.NotFound(path.Child("oldRef", "name"), spec.OldRef.Name))
			break
		}
		asked.old, errs = decode(&schema.Spec.Definition, path.Child("oldRef"), errs)
	}
	asked.new, errs = decode(&spec.New, path.Child("new"), errs)
	if len(errs) == 0 && asked.old.Name != asked.new.Name {
		errs = append(errs, field.Invalid(path.Child("new", "metadata", "name"), asked.new.Name,
			fmt.Sprintf("must be %q, the name of the old CRD: a CRD cannot replace one with another name",
				asked.old.Name)))
	}
	return asked, errs, nil
}

// declared runs the declarative validation of the type.
func (r *REST) declared(ctx context.Context, review *release.CompatibilityReview) field.ErrorList {
	tags := rest.DeclarativeValidation{Scheme: r.scheme}
	return tags.ValidateDeclaratively(ctx, review, nil, nil, operation.Create, rest.DeclarativeValidationConfig{})
}

func decode(raw *runtime.RawExtension, path *field.Path, errs field.ErrorList) (*apiextensionsv1.CustomResourceDefinition,
	field.ErrorList) {
	switch {
	case len(raw.Raw) == 0:
		return nil, append(errs, field.Required(path, "must be the manifest of a CustomResourceDefinition"))
	case len(raw.Raw) > maxDefinition:
		return nil, append(errs, field.TooLong(path, "", maxDefinition))
	}
	definition, err := crdpolicy.Decode(raw.Raw)
	if err != nil {
		return nil, append(errs, field.Invalid(path, field.OmitValueType{}, err.Error()))
	}
	return definition, errs
}

// answer compares the two CRDs, as if an approval was requested if one is needed.
func (q question) answer() release.CompatibilityReviewStatus {
	report := compare.Compare(q.old, q.new, compare.Options{})
	outcome := crdpolicy.Decide(report, q.policy, true)
	status := release.CompatibilityReviewStatus{
		Verdict:          release.Compatibility(report.Verdict),
		Allowed:          !outcome.Refuses(),
		RequiresApproval: outcome == crdpolicy.Pending,
		Digest:           report.Digest,
	}
	status.Findings, status.TotalFindings = evidence.Findings(report, maxFindings)
	return status
}
