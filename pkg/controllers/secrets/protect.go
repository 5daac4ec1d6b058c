// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// InUseFinalizer blocks the deletion of a Secret until no object needs it, so that the deletion of
// a namespace can still clean up outside objects.
const InUseFinalizer = "roadstead.dev/in-use"

// Protector sets and removes the finalizer.
type Protector struct {
	cached client.Reader
	writer client.Client
}

// NewProtector returns a Protector. cached must serve metadata of Secrets, writer must read Secrets
// without the cache.
func NewProtector(cached client.Reader, writer client.Client) *Protector {
	return &Protector{cached: cached, writer: writer}
}

// Hold sets the finalizer on a Secret. A Secret that does not exist or is already being deleted is
// not changed: the API server rejects a new finalizer then.
func (p *Protector) Hold(ctx context.Context, key types.NamespacedName) error {
	return p.change(ctx, key, func(object client.Object) bool {
		return object.GetDeletionTimestamp() == nil && controllerutil.AddFinalizer(object, InUseFinalizer)
	})
}

// Release removes the finalizer from a Secret.
func (p *Protector) Release(ctx context.Context, key types.NamespacedName) error {
	return p.change(ctx, key, func(object client.Object) bool {
		return controllerutil.RemoveFinalizer(object, InUseFinalizer)
	})
}

func (p *Protector) change(ctx context.Context, key types.NamespacedName, edit func(client.Object) bool) error {
	err := p.changeFrom(ctx, p.cached, key, edit)
	if apierrors.IsConflict(err) {
		// Objects that start to use a Secret at the same time hold it at the same time: the cache
		// does not contain the first change yet.
		err = p.changeFrom(ctx, p.writer, key, edit)
	}
	return err
}

func (p *Protector) changeFrom(ctx context.Context, reader client.Reader, key types.NamespacedName, edit func(client.Object) bool) error {
	object := Metadata()
	if err := reader.Get(ctx, key, object); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := object.DeepCopy()
	if !edit(object) {
		return nil
	}
	// Finalizers are a list: a patch must not overwrite a concurrent change.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := p.writer.Patch(ctx, object, patch); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("finalizer %s of Secret %q: %w", InUseFinalizer, key.Name, err)
	}
	return nil
}
