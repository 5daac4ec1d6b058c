// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/dryrun"

	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// UniqueField is an immutable field whose value is unique across the objects of a kind.
type UniqueField[T Object] struct {
	// Field is the path that errors name, for example spec.externalReferenceId.
	Field string
	// Folder separates the records from those of other fields. At most one field of a kind has no
	// folder.
	Folder string
	// Value returns the value that must be unique, or nil if the field is empty.
	Value func(T) unique.Value
}

// UniqueStatusField is a list in the status whose elements are unique across the objects of a kind:
// if two objects add the same element, the second update is refused. One update can add at most 100
// elements.
type UniqueStatusField[T Object] struct {
	// Field and Folder are as in UniqueField.
	Field, Folder string
	// Values returns the values that must be unique.
	Values func(T) []unique.Value
}

// CauseClaimed is the cause of the Conflict error for an update of a status with a value of another
// object.
const CauseClaimed metav1.CauseType = "Claimed"

// uniqueFields are all fields with unique values.
func (k Kind[T]) uniqueFields() (all []unique.Field) {
	for _, one := range k.Unique {
		all = append(all, unique.Field{Path: one.Field, Folder: one.Folder, Values: func(obj runtime.Object) []unique.Value {
			if value := one.Value(obj.(T)); value != nil {
				return []unique.Value{value}
			}
			return nil
		}})
	}
	for _, one := range k.StatusUnique {
		all = append(all, unique.Field{Path: one.Field, Folder: one.Folder, Values: func(obj runtime.Object) []unique.Value {
			return one.Values(obj.(T))
		}})
	}
	return all
}

// Uniquely is a getter of options that can provide storage with unique values of fields.
type Uniquely interface {
	// WithUnique returns a getter whose storage, below any watch cache, is a unique.Checker for the fields.
	WithUnique(fields []unique.Field) (genericregistry.RESTOptionsGetter, error)
}

// withUnique returns a getter whose stores keep the values of fields unique.
func withUnique(getter genericregistry.RESTOptionsGetter, fields []unique.Field) (genericregistry.RESTOptionsGetter, error) {
	able, ok := getter.(Uniquely)
	if !ok {
		return nil, fmt.Errorf("%T does not support storage with unique values of %s", getter, fields[0].Path)
	}
	return able.WithUnique(fields)
}

// requireOwnFolders returns an error if the records of two fields would be in the same folder.
func requireOwnFolders(fields []unique.Field) error {
	paths := map[string]string{}
	for _, one := range fields {
		if other, used := paths[one.Folder]; used {
			return fmt.Errorf("%s and %s have the same folder for their records", other, one.Path)
		}
		paths[one.Folder] = one.Path
	}
	return nil
}

// checkUnique adds hooks that check values before a create, and before a dry run of a status
// update. So a duplicate is refused before it counts against a ResourceQuota, and a dry run returns
// the same error as the request would.
func checkUnique(store, status *registry.Store) error {
	checker, ok := checkerIn(etcdstore.Uncached(store.Storage.Storage))
	if !ok {
		return fmt.Errorf("the storage of %s does not support unique values", store.DefaultQualifiedResource)
	}
	done := func(context.Context, bool) {}
	store.BeginCreate = func(ctx context.Context, obj runtime.Object, _ *metav1.CreateOptions) (registry.FinishFunc, error) {
		return done, report(checker.Check(ctx, obj, false))
	}
	status.BeginUpdate = func(ctx context.Context, obj, _ runtime.Object, options *metav1.UpdateOptions) (registry.FinishFunc, error) {
		if !dryrun.IsDryRun(options.DryRun) {
			return done, nil
		}
		return done, report(checker.Check(ctx, obj, true))
	}
	return nil
}

// checkerIn returns the checker that a storage is or wraps.
func checkerIn(s storage.Interface) (unique.Checker, bool) {
	for {
		if checker, ok := s.(unique.Checker); ok {
			return checker, true
		}
		around, ok := s.(interface{ Unwrap() storage.Interface })
		if !ok {
			return nil, false
		}
		s = around.Unwrap()
	}
}

// refusals converts errors about values in use into errors of the API.
type refusals struct {
	authorizer authorizer.Authorizer
	resource   schema.GroupResource
	kind       schema.GroupKind
}

// explain returns the error for the client. It names the object that has the value only to callers
// that may get that object.
func (r refusals) explain(ctx context.Context, err error) error {
	var taken *unique.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	holder := "another object"
	if r.mayGet(ctx, taken.Holder) {
		holder = fmt.Sprintf("%s %s/%s", r.resource, taken.Holder.Namespace, taken.Holder.Name)
	}
	if !taken.Update {
		return apierrors.NewInvalid(r.kind, taken.Wanted.Name, field.ErrorList{{
			Type: field.ErrorTypeDuplicate, Field: taken.Field, BadValue: taken.Value,
			Detail: fmt.Sprintf("the value is in use by %s; use another value or delete that object first", holder),
		}})
	}
	why := fmt.Sprintf("%q is in use by %s", taken.Value, holder)
	conflict := apierrors.NewConflict(r.resource, taken.Wanted.Name, fmt.Errorf("%s: %s", taken.Field, why))
	conflict.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: CauseClaimed, Field: taken.Field, Message: why}}
	return conflict
}

func (r refusals) mayGet(ctx context.Context, holder unique.Owner) bool {
	user, ok := genericapirequest.UserFrom(ctx)
	if !ok || r.authorizer == nil {
		return false
	}
	decision, _, err := r.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: user, Verb: "get", APIGroup: r.resource.Group, APIVersion: "*", Resource: r.resource.Resource,
		Namespace: holder.Namespace, Name: holder.Name, ResourceRequest: true,
	})
	return err == nil && decision == authorizer.DecisionAllow
}
