// SPDX-License-Identifier: Apache-2.0

package compatibilityreview

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// REST compares two versions of a CRD. Nothing is stored, so a dry run returns the same response.
type REST struct {
	rest.TableConvertor
	scheme  *runtime.Scheme
	objects *lookup.Objects
}

var (
	_ rest.Creater              = &REST{} //nolint:misspell // the name is Kubernetes' own
	_ rest.Scoper               = &REST{}
	_ rest.SingularNameProvider = &REST{}
	_ rest.TableConvertor       = &REST{}
)

// NewREST returns the resource. The CRDSchemas that oldRef names are read from objects.
func NewREST(scheme *runtime.Scheme, objects *lookup.Objects) *REST {
	return &REST{TableConvertor: table{}, scheme: scheme, objects: objects}
}

// New returns an empty CompatibilityReview.
func (r *REST) New() runtime.Object { return &release.CompatibilityReview{} }

// Destroy does nothing: the resource has no storage.
func (r *REST) Destroy() {}

// NamespaceScoped returns false: CRDs are cluster-scoped.
func (r *REST) NamespaceScoped() bool { return false }

// GetSingularName returns the name of the resource for one object.
func (r *REST) GetSingularName() string { return "compatibilityreview" }

// Create returns the review with its status.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object,
	error) {
	review, ok := obj.(*release.CompatibilityReview)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body must be a CompatibilityReview, not a %T", obj))
	}
	review.Status = release.CompatibilityReviewStatus{}
	question, errs, err := r.read(ctx, review)
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(release.Kind("CompatibilityReview"), review.Name, errs)
	}
	if validate != nil {
		if err := validate(ctx, review.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	review.Status = question.answer()
	return review, nil
}
