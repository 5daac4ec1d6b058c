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

// REST answers what a change of a definition does. Nothing is stored, so a dry run is answered in the same way.
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

// NewREST returns the resource. Definitions that oldRef names are looked up in objects.
func NewREST(scheme *runtime.Scheme, objects *lookup.Objects) *REST {
	return &REST{TableConvertor: table{}, scheme: scheme, objects: objects}
}

// New returns an empty question.
func (r *REST) New() runtime.Object { return &release.CompatibilityReview{} }

// Destroy does nothing: there is nothing.
func (r *REST) Destroy() {}

// NamespaceScoped is false: definitions belong to clusters.
func (r *REST) NamespaceScoped() bool { return false }

// GetSingularName returns the name of the resource for one object.
func (r *REST) GetSingularName() string { return "compatibilityreview" }

// Create answers a question.
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
