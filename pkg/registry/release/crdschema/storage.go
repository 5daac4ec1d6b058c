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

// NewREST returns the storage of CRDSchemas and of their status. A new one is judged by what objects reads; controllerUser is
// the only user that creates the CRDSchemas of a chart.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects, controllerUser string) (*REST,
	*generic.StatusREST, error) {
	main, status, err := generic.NewStore(newKind(scheme), getter)
	if err != nil {
		return nil, nil, err
	}
	judges := reader{objects: objects, controllerUser: controllerUser}
	// Before the strategy, which can answer with errors of fields only: that something could not be looked up is none.
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

// Update changes a CRDSchema; server-side apply also makes one by it.
func (r *REST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.REST.Update(withJudgement(ctx), name, info, createValidation, updateValidation, forceAllowCreate, options)
}

// judgement is what is said about a new CRDSchema. It is made once, before the strategy is asked, and lies in the context,
// because the strategy needs it at three places: for the status, for errors and for warnings.
type judgement struct {
	// made tells that there was a definition to judge.
	made     bool
	status   release.CRDSchemaStatus
	errs     field.ErrorList
	warnings []string
}

type judgementKey struct{}

func withJudgement(ctx context.Context) context.Context {
	return context.WithValue(ctx, judgementKey{}, &judgement{})
}

// judgementOf returns the judgement of the request; an empty one where nothing is judged.
func judgementOf(ctx context.Context) *judgement {
	if found, ok := ctx.Value(judgementKey{}).(*judgement); ok {
		return found
	}
	return &judgement{}
}
