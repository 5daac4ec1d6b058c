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
	// maxFindings is how many findings an answer holds.
	maxFindings = 1000
	// maxDefinition is how large a definition may be, in bytes of JSON: as in a CRDSchema.
	maxDefinition = 3 << 20
)

// question is what a review asks, decoded.
type question struct {
	old, new *apiextensionsv1.CustomResourceDefinition
	policy   crdpolicy.Policy
}

// read decodes a review and says what is wrong with it.
func (r *REST) read(ctx context.Context, review *release.CompatibilityReview) (question, field.ErrorList, error) {
	path := field.NewPath("spec")
	spec := &review.Spec
	errs := r.declared(ctx, review)
	asked := question{policy: crdpolicy.Policy(spec.Policy)}

	switch {
	case (spec.Old == nil) == (spec.OldRef == nil):
		errs = append(errs, field.Invalid(path.Child("old"), field.OmitValueType{}, "exactly one of spec.old and spec.oldRef must be given"))
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
			fmt.Sprintf("must be %q, that of the old definition: two definitions of different names do not take each other's place",
				asked.old.Name)))
	}
	return asked, errs, nil
}

// declared runs what the tags of the type say.
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

// answer compares the two definitions, as if somebody asked for an approval where one is needed.
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
