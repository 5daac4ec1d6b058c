// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Scale accesses the fields of an object that kubectl scale and autoscalers read and write.
type Scale[T Object] struct {
	// Wanted returns a pointer to the number of desired replicas.
	Wanted func(T) **int32
	// Current returns the number of existing replicas, Selector the label selector of their pods.
	Current  func(T) int32
	Selector func(T) string
}

// ScaleREST is the scale subresource of a kind, with the kind autoscaling/v1 Scale.
type ScaleREST[T Object] struct {
	store *registry.Store
	scale Scale[T]
}

var (
	_ rest.Patcher                  = &ScaleREST[Object]{}
	_ rest.GroupVersionKindProvider = &ScaleREST[Object]{}
)

// NewScaleREST returns the scale subresource on the store of a kind.
func NewScaleREST[T Object](store *registry.Store, scale Scale[T]) *ScaleREST[T] {
	return &ScaleREST[T]{store: store, scale: scale}
}

// New returns an empty Scale.
func (r *ScaleREST[T]) New() runtime.Object { return &autoscalingv1.Scale{} }

// Destroy does nothing: the store belongs to the main resource.
func (r *ScaleREST[T]) Destroy() {}

// GroupVersionKind returns autoscaling/v1 Scale.
func (r *ScaleREST[T]) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
}

// Get returns the scale of an object.
func (r *ScaleREST[T]) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	object, err := r.store.Get(ctx, name, options)
	if err != nil {
		return nil, err
	}
	return r.shown(ctx, object.(T))
}

// Update changes the number of desired replicas of an existing object.
func (r *ScaleREST[T]) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	// For the store this is a change of the object itself, because its declarative validation has
	// no subresource scale.
	changed, _, err := r.store.Update(asMain(ctx), name, &scaleUpdate[T]{rest: r, name: name, info: info},
		scaleCreate(r, createValidation), scaleValidation(r, updateValidation), false, options)
	if err != nil {
		return nil, false, err
	}
	scale, err := r.shown(ctx, changed.(T))
	return scale, false, err
}

// ConvertToTable prints a Scale.
func (r *ScaleREST[T]) ConvertToTable(ctx context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	return rest.NewDefaultTableConvertor(autoscalingv1.Resource("scales")).ConvertToTable(ctx, object, options)
}

func (r *ScaleREST[T]) of(object T) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: object.GetName(), Namespace: object.GetNamespace(), UID: object.GetUID(),
			ResourceVersion: object.GetResourceVersion(), CreationTimestamp: object.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: ptr.Deref(*r.scale.Wanted(object), 0)},
		Status: autoscalingv1.ScaleStatus{Replicas: r.scale.Current(object), Selector: r.scale.Selector(object)},
	}
}

// shown returns the Scale of an object with the field managers of the number of replicas, which
// server-side apply on the scale needs.
func (r *ScaleREST[T]) shown(ctx context.Context, object T) (*autoscalingv1.Scale, error) {
	scale := r.of(object)
	var err error
	if scale.ManagedFields, err = owners(ctx, object.GetManagedFields()).ToSubresource(); err != nil {
		return nil, fmt.Errorf("read the field managers of spec.replicas: %w", err)
	}
	return scale, nil
}

// owners maps the field managers of spec.replicas of the object to those of the Scale, and back.
func owners(ctx context.Context, entries []metav1.ManagedFieldsEntry) *managedfields.ScaleHandler {
	version := schema.GroupVersion{}
	if info, ok := request.RequestInfoFrom(ctx); ok {
		version = schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
	}
	return managedfields.NewScaleHandler(entries, version, managedfields.ResourcePathMappings{
		version.String(): fieldpath.MakePathOrDie("spec", "replicas"),
	})
}

// asMain returns the context of the same request to the object itself.
func asMain(ctx context.Context) context.Context {
	info, ok := request.RequestInfoFrom(ctx)
	if !ok {
		return ctx
	}
	main := *info
	main.Subresource = ""
	return request.WithRequestInfo(ctx, &main)
}

// scaleUpdate converts a change of a Scale into a change of the object that it belongs to.
type scaleUpdate[T Object] struct {
	rest *ScaleREST[T]
	name string
	info rest.UpdatedObjectInfo
}

// Preconditions are those of the request.
func (u *scaleUpdate[T]) Preconditions() *metav1.Preconditions { return u.info.Preconditions() }

// UpdatedObject returns the object with the number of replicas of the request.
func (u *scaleUpdate[T]) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	object := old.DeepCopyObject().(T)
	if object.GetResourceVersion() == "" {
		return nil, apierrors.NewNotFound(u.rest.store.DefaultQualifiedResource, u.name)
	}
	before, err := u.rest.shown(ctx, object)
	if err != nil {
		return nil, err
	}
	changed, err := u.info.UpdatedObject(ctx, before)
	if err != nil {
		return nil, err
	}
	scale, ok := changed.(*autoscalingv1.Scale)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("expected a Scale, got %T", changed))
	}
	if scale.Spec.Replicas < 0 {
		return nil, apierrors.NewInvalid(autoscalingv1.SchemeGroupVersion.WithKind("Scale").GroupKind(), scale.Name,
			field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must be 0 or more")})
	}
	if scale.ResourceVersion != "" {
		object.SetResourceVersion(scale.ResourceVersion)
	}
	if scale.UID != "" && scale.UID != object.GetUID() {
		return nil, apierrors.NewConflict(u.rest.store.DefaultQualifiedResource, u.name,
			fmt.Errorf("the UID %s does not match the UID of the stored object", scale.UID))
	}
	*u.rest.scale.Wanted(object) = &scale.Spec.Replicas
	managed, err := owners(ctx, object.GetManagedFields()).ToParent(scale.ManagedFields)
	if err != nil {
		return nil, fmt.Errorf("record the field managers of spec.replicas: %w", err)
	}
	object.SetManagedFields(managed)
	return object, nil
}

// scaleCreate and scaleValidation run admission on the Scale, which is the object of the request.
func scaleCreate[T Object](r *ScaleREST[T], validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, object runtime.Object) error {
		return validate(ctx, r.of(object.(T)))
	}
}

func scaleValidation[T Object](r *ScaleREST[T], validate rest.ValidateObjectUpdateFunc) rest.ValidateObjectUpdateFunc {
	return func(ctx context.Context, object, old runtime.Object) error {
		return validate(ctx, r.of(object.(T)), r.of(old.(T)))
	}
}
