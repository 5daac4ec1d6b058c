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

// UniqueField makes an immutable field unique across the objects of a kind.
type UniqueField[T Object] struct {
	// Field is the path that errors name, for example spec.externalReferenceId.
	Field string
	// Folder separates the records from those of other fields. At most one field of a kind has none.
	Folder string
	// Value returns what must be unique, or nil when the object has nothing there.
	Value func(T) unique.Value
}

// UniqueStatusField makes the elements of a list in the status unique across the objects of a kind: of two objects that add
// the same one, the second update is refused. One update can add 100.
type UniqueStatusField[T Object] struct {
	// Field and Folder are as in UniqueField.
	Field, Folder string
	// Values returns what must be unique.
	Values func(T) []unique.Value
}

// CauseClaimed is the cause in the Conflict that an update of a status gets when another object holds a value.
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

// Uniquely is a getter of options that knows storage which keeps the values of fields unique.
type Uniquely interface {
	// WithUnique returns a getter whose storage, below any watch cache, is a unique.Checker for the fields.
	WithUnique(fields []unique.Field) (genericregistry.RESTOptionsGetter, error)
}

// withUnique makes stores keep the values of fields unique.
func withUnique(getter genericregistry.RESTOptionsGetter, fields []unique.Field) (genericregistry.RESTOptionsGetter, error) {
	able, ok := getter.(Uniquely)
	if !ok {
		return nil, fmt.Errorf("%T makes no storage that keeps the values of %s unique", getter, fields[0].Path)
	}
	return able.WithUnique(fields)
}

// requireOwnFolders refuses fields whose records would be mixed up.
func requireOwnFolders(fields []unique.Field) error {
	paths := map[string]string{}
	for _, one := range fields {
		if other, used := paths[one.Folder]; used {
			return fmt.Errorf("%s and %s have one folder for their records", other, one.Path)
		}
		paths[one.Folder] = one.Path
	}
	return nil
}

// checkUnique checks values before a create, and before a dry run of a status update. So a duplicate is refused before it is
// counted against a ResourceQuota, and a dry run returns the error that the real request would.
func checkUnique(store, status *registry.Store) error {
	checker, ok := checkerIn(etcdstore.Uncached(store.Storage.Storage))
	if !ok {
		return fmt.Errorf("the storage of %s does not keep values unique", store.DefaultQualifiedResource)
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

// checkerIn finds the checker in storage that is around it.
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

// refusals turn errors about taken values into those of the API.
type refusals struct {
	authorizer authorizer.Authorizer
	resource   schema.GroupResource
	kind       schema.GroupKind
}

// explain returns the error for the client. Who holds a value is told only to those who may get the holder.
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
			Detail: fmt.Sprintf("the value is in use by %s; choose another one or delete that object first", holder),
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
