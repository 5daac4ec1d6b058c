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
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/dryrun"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/registry/etcdstore"
)

// UniqueField makes one immutable field of a kind unique across the objects of that kind.
type UniqueField[T Object] struct {
	// Claims holds the records.
	Claims *Claims
	// Authorizer decides whether a refused caller may know who holds the value.
	Authorizer authorizer.Authorizer
	// Field is the path that errors name, for example spec.externalReferenceId.
	Field string
	// Key returns the value to claim, or "" when the object claims nothing.
	Key func(T) string
}

// Protect installs the claim of a field into the store of a kind. It must run before the store serves.
func (u UniqueField[T]) Protect(store *registry.Store, gr schema.GroupResource) {
	kind := gr.Group + "/" + gr.Resource
	owner := func(obj T) Owner {
		return Owner{Resource: gr.String(), Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID()}
	}
	store.BeginCreate = func(ctx context.Context, obj runtime.Object, options *metav1.CreateOptions) (registry.FinishFunc, error) {
		object := obj.(T)
		key := u.Key(object)
		if key == "" {
			return func(context.Context, bool) {}, nil
		}
		dry, taken := dryrun.IsDryRun(options.DryRun), false
		take := func(ctx context.Context) error {
			if err := u.Claims.Take(ctx, kind, key, owner(object), storedOwner(store), dry); err != nil {
				return u.refusal(ctx, gr, owner(object), err)
			}
			taken = !dry
			return nil
		}
		if slot := etcdstore.SlotFrom(ctx); slot != nil && !dry {
			// Most values are free: then the claim is stored with the object or not at all.
			beside, err := u.Claims.beside(ctx, kind, key, owner(object), take)
			if err != nil {
				return nil, u.refusal(ctx, gr, owner(object), err)
			}
			slot.Put(beside)
		} else if err := take(ctx); err != nil {
			return nil, err
		}
		return func(ctx context.Context, stored bool) {
			if stored || !taken {
				return
			}
			if err := u.giveUp(ctx, kind, key, owner(object), storedOwner(store)); err != nil {
				klog.FromContext(ctx).Info("Claim not freed; it frees itself", "field", u.Field, "after", u.Claims.Patience, "err", err)
			}
		}, nil
	}
	store.AfterDelete = func(obj runtime.Object, options *metav1.DeleteOptions) {
		object := obj.(T)
		key := u.Key(object)
		if key == "" || (options != nil && dryrun.IsDryRun(options.DryRun)) {
			return
		}
		if err := u.Claims.Free(context.Background(), kind, key, owner(object)); err != nil {
			klog.InfoS("Claim not freed; the next claimant takes it", "field", u.Field, "object", klog.KObj(object), "err", err)
		}
	}
}

// giveUp frees the claim of an object whose create failed. When the answer of the store was lost, the object may be there
// nevertheless: then its claim stays.
func (u UniqueField[T]) giveUp(ctx context.Context, kind, key string, owner Owner, exists OwnerExists) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("whether the object was stored is unknown: %w", err)
	}
	stored, err := exists(ctx, owner)
	if err != nil || stored {
		return err
	}
	return u.Claims.Free(ctx, kind, key, owner)
}

// storedOwner looks a claim's owner up in the store of its kind, past the watch cache.
func storedOwner(store *registry.Store) OwnerExists {
	return func(ctx context.Context, owner Owner) (bool, error) {
		if owner.Namespace != "" {
			ctx = genericapirequest.WithNamespace(ctx, owner.Namespace)
		}
		key, err := store.KeyFunc(ctx, owner.Name)
		if err != nil {
			return false, err
		}
		found := store.NewFunc()
		err = store.Storage.Get(ctx, key, storage.GetOptions{}, found)
		if storage.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		object, ok := found.(Object)
		return ok && object.GetUID() == owner.UID, nil
	}
}

// refusal turns a failed claim into an API error. Who holds the value is told only to those who may see the holder.
func (u UniqueField[T]) refusal(ctx context.Context, gr schema.GroupResource, wanted Owner, err error) error {
	name := wanted.Name
	var claimed *ClaimedError
	if !errors.As(err, &claimed) {
		klog.FromContext(ctx).Error(err, "Claim failed", "field", u.Field, "object", klog.KRef(wanted.Namespace, name))
		return apierrors.NewServiceUnavailable(fmt.Sprintf("%s could not be reserved because the store did not answer: try again", u.Field))
	}
	if claimed.Holder.Namespace == wanted.Namespace && claimed.Holder.Name == name {
		// The same manifest again: clients know what to do with this answer, not with a conflict.
		return apierrors.NewAlreadyExists(gr, name)
	}
	holder := "another object"
	if u.mayGet(ctx, gr, claimed.Holder) {
		holder = fmt.Sprintf("%s %s/%s", gr, claimed.Holder.Namespace, claimed.Holder.Name)
	}
	return apierrors.NewConflict(gr, name, fmt.Errorf("%s: the value is in use by %s; choose another one or delete that object first", u.Field, holder))
}

func (u UniqueField[T]) mayGet(ctx context.Context, gr schema.GroupResource, holder Owner) bool {
	user, ok := genericapirequest.UserFrom(ctx)
	if !ok {
		return false
	}
	decision, _, err := u.Authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: user, Verb: "get", APIGroup: gr.Group, APIVersion: "*", Resource: gr.Resource,
		Namespace: holder.Namespace, Name: holder.Name, ResourceRequest: true,
	})
	return err == nil && decision == authorizer.DecisionAllow
}
