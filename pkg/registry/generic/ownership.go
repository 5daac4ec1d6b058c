// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// beginOwnership sets an empty ledger in a new object. An object without a ledger was stored by a
// release that had none.
func (k Kind[T]) beginOwnership(obj T) {
	if k.Ownership != nil {
		*k.Ownership(obj) = &ownership.Status{}
	}
}

// keepOwnership keeps the stored ledger in a status update, unless the controller sends one. A
// controller of an earlier release sends none. If it creates the external objects of a new object
// while the stored ledger is empty, the ledger is removed: the next controller then imports the
// status into a ledger, as it does for objects that the earlier release stored.
func (k Kind[T]) keepOwnership(ctx context.Context, obj, stored T) {
	if k.Ownership == nil {
		return
	}
	caller, known := genericapirequest.UserFrom(ctx)
	controller := known && k.ControllerUser != "" && caller.GetName() == k.ControllerUser
	sent, kept := k.Ownership(obj), *k.Ownership(stored)
	empty := kept != nil && len(kept.Records)+len(kept.Facts) == 0
	if !controller || *sent == nil && !empty {
		*sent = kept
	}
}
