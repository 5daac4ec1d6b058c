// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// REST is the main resource of CRDSchemas.
type REST struct {
	*generic.REST
}

// NewREST returns the storage of CRDSchemas and of their status. The review of a new CRDSchema
// reads objects; controllerUser is the only user that creates the CRDSchemas of a chart.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects, controllerUser string) (*REST,
	*generic.StatusREST, error) {
	main, status, err := generic.NewStore(newKind(scheme), getter)
	if err != nil {
		return nil, nil, err
	}
	judges := reader{objects: objects, controllerUser: controllerUser}
	// This runs before the strategy, which can return field errors only: a failed lookup is not
	// one.
	main.BeginCreate = func(ctx context.Context, obj runtime.Object, _ *metav1.CreateOptions) (registry.FinishFunc, error) {
		judged, err := judges.judgeNew(ctx, obj.(*release.CRDSchema))
		if err != nil {
			return nil, err
		}
		*judgementOf(ctx) = judged
		return func(context.Context, bool) {}, nil
	}
	return &REST{REST: main}, status, nil
}

// Create stores a new CRDSchema.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions) (runtime.Object, error) {
	return r.REST.Create(withJudgement(ctx), obj, validate, options)
}

// Update changes a CRDSchema; server-side apply also creates one with it.
func (r *REST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.REST.Update(withJudgement(ctx), name, info, createValidation, updateValidation, forceAllowCreate, options)
}

// judgement is the review of a new CRDSchema. It is created once, before the strategy runs, and
// stored in the context, because the strategy needs it for the status, for errors and for warnings.
type judgement struct {
	// made is true if there was a CRD to review.
	made     bool
	status   release.CRDSchemaStatus
	errs     field.ErrorList
	warnings []string
}

type judgementKey struct{}

func withJudgement(ctx context.Context) context.Context {
	return context.WithValue(ctx, judgementKey{}, &judgement{})
}

// judgementOf returns the review of the request; an empty one if there is none.
func judgementOf(ctx context.Context) *judgement {
	if found, ok := ctx.Value(judgementKey{}).(*judgement); ok {
		return found
	}
	return &judgement{}
}
