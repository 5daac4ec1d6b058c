// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// beginOwnership gives a new object an empty ledger. An object without one was stored by a release
// that kept none.
func (k Kind[T]) beginOwnership(obj T) {
	if k.Ownership != nil {
		*k.Ownership(obj) = &ownership.Status{}
	}
}

// keepOwnership keeps the stored ledger in a status update, unless the controller sends one. A
// controller of an earlier release sends none. While the stored one is empty, such a controller creates
// the outside objects of a new object, and the ledger becomes absent: the next controller then imports
// what the status says, as it does for objects that the earlier release stored.
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
