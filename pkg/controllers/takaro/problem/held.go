// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// HeldWait is the time between two checks whether a hold was released. The release wakes Domains,
// and these wake their dependents.
const HeldWait = time.Minute

// Holder knows which deletions of Domains are held; see takaroendpoint.Keeper.
type Holder interface {
	// DeletionHold returns the command that releases the deletion of the Domain, or "" if it is not
	// held.
	DeletionHold(context.Context, *v1alpha1.Domain) (command string, err error)
}

// HeldWithDomain returns why an object of a Domain that is being deleted must keep its outside
// objects: the deletion of the Domain is held. domain is nil if there is none. In a namespace that
// is being deleted, the Domain is about to be deleted too, possibly after the object. live must not
// read from a cache.
func HeldWithDomain(ctx context.Context, live client.Reader, holder Holder, domain *v1alpha1.Domain) *base.Blocked {
	if domain == nil {
		return nil
	}
	if domain.DeletionTimestamp == nil {
		namespace := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
		err := live.Get(ctx, client.ObjectKey{Name: domain.Namespace}, namespace)
		if client.IgnoreNotFound(err) != nil {
			return Classify("reading the namespace", err)
		}
		if namespace.DeletionTimestamp == nil {
			return nil
		}
		domain = domain.DeepCopy()
		domain.DeletionTimestamp = namespace.DeletionTimestamp
	}
	switch command, err := holder.DeletionHold(ctx, domain); {
	case err != nil:
		return Classify("checking whether the deletion is held", err)
	case command == "":
		return nil
	}
	return &base.Blocked{Reason: v1alpha1.ReasonDeletionHeld, RequeueAfter: HeldWait, Message: fmt.Sprintf(
		"Domain %q is kept, and with it what it contains, because many Domains were deleted at once. "+
			"To confirm these deletions, run the command in its condition Ready", domain.Name)}
}
