// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Category is the category of all kinds, as in "kubectl get roadstead".
const Category = "roadstead"

// scaleCategory is the category of kinds that k9s offers to scale.
const scaleCategory = "scale"

// REST is the main resource of a kind.
type REST struct {
	*registry.Store
	refusals refusals
	// writeOnly is nil for a kind without write-only fields.
	writeOnly  writeOnlyFields
	shortNames []string
	categories []string
}

var (
	_ rest.StandardStorage    = &REST{}
	_ rest.ShortNamesProvider = &REST{}
	_ rest.CategoriesProvider = &REST{}
)

// ShortNames returns the short names of the resource for kubectl.
func (r *REST) ShortNames() []string { return r.shortNames }

// Categories returns the categories that the resource belongs to.
func (r *REST) Categories() []string { return r.categories }

// Create stores a new object.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions) (runtime.Object, error) {
	made, err := r.Store.Create(ctx, obj, validate, options)
	return made, r.refusals.explain(ctx, err)
}

// Update changes an object, or creates it if that is allowed.
func (r *REST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, validateCreate rest.ValidateObjectFunc,
	validateUpdate rest.ValidateObjectUpdateFunc, mayCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	if r.writeOnly != nil {
		info = suppliedInfo{UpdatedObjectInfo: info, fields: r.writeOnly, dryRun: dryrun.IsDryRun(options.DryRun), manager: options.FieldManager}
	}
	changed, created, err := r.Store.Update(ctx, name, info, validateCreate, validateUpdate, mayCreate, options)
	return changed, created, r.refusals.explain(ctx, err)
}

// NewStore returns the main resource and the status subresource of a kind. Both use one store,
// which all served versions share: with a store for each version, each would have a watch cache.
func NewStore[T Object](kind Kind[T], getter genericregistry.RESTOptionsGetter) (*REST, *StatusREST, error) {
	main := NewStrategy(kind)
	status := NewStatusStrategy(main)
	store := &registry.Store{
		NewFunc:                   func() runtime.Object { return kind.New() },
		NewListFunc:               kind.NewList,
		DefaultQualifiedResource:  kind.Resource,
		SingularQualifiedResource: kind.Singular,
		CreateStrategy:            main,
		UpdateStrategy:            main,
		DeleteStrategy:            main,
		ResetFieldsStrategy:       main,
		TableConvertor:            newTableConvertor(kind.Columns),
	}
	if kind.Uncached {
		getter = withoutCache(getter)
	}
	fields := kind.uniqueFields()
	if len(fields) > 0 {
		unique, err := withUnique(getter, fields)
		if err := errors.Join(err, requireOwnFolders(fields)); err != nil {
			return nil, nil, fmt.Errorf("store of %s: %w", kind.Resource, err)
		}
		getter = unique
	}
	options := &genericregistry.StoreOptions{RESTOptions: getter}
	if len(kind.Fields) > 0 {
		store.PredicateFunc, options.AttrFunc = kind.matches, kind.attributes
	}
	if err := store.CompleteWithOptions(options); err != nil {
		return nil, nil, fmt.Errorf("store of %s: %w", kind.Resource, err)
	}
	statusStore := *store
	statusStore.UpdateStrategy = status
	statusStore.ResetFieldsStrategy = status
	refusals := refusals{authorizer: kind.Authorizer, resource: kind.Resource}
	if len(fields) > 0 {
		if err := checkUnique(store, &statusStore); err != nil {
			return nil, nil, err
		}
		gvks, _, err := kind.Scheme.ObjectKinds(kind.New())
		if err != nil {
			return nil, nil, fmt.Errorf("store of %s: %w", kind.Resource, err)
		}
		refusals.kind = gvks[0].GroupKind()
	}
	resource := &REST{Store: store, shortNames: kind.ShortNames, refusals: refusals}
	if len(kind.WriteOnly) > 0 {
		resource.writeOnly = fieldsOf[T](kind.WriteOnly)
	}
	if !kind.Uncategorized {
		resource.categories = []string{Category}
	}
	if kind.Scalable {
		resource.categories = append(resource.categories, scaleCategory)
	}
	return resource, &StatusREST{store: &statusStore, refusals: refusals}, nil
}

// StatusREST is the status subresource of a kind.
type StatusREST struct {
	store    *registry.Store
	refusals refusals
}

var (
	_ rest.Patcher             = &StatusREST{}
	_ rest.ResetFieldsStrategy = &StatusREST{}
	_ rest.TableConvertor      = &StatusREST{}
)

// New returns an empty object.
func (r *StatusREST) New() runtime.Object { return r.store.New() }

// Destroy does nothing: the store belongs to the main resource.
func (r *StatusREST) Destroy() {}

// Get returns the entire object.
func (r *StatusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

// Update changes the status of an existing object; it never creates one.
func (r *StatusREST) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc,
	updateValidation rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	changed, created, err := r.store.Update(ctx, name, info, createValidation, updateValidation, false, options)
	return changed, created, r.refusals.explain(ctx, err)
}

// GetResetFields returns the fields that the subresource ignores.
func (r *StatusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

// ConvertToTable prints the object as the main resource does.
func (r *StatusREST) ConvertToTable(ctx context.Context, object runtime.Object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}
