// SPDX-License-Identifier: Apache-2.0

package domainref

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// kindDomain is the kind of a Takaro domain in the ledger of its Domain.
const kindDomain = "Domain"

// Find returns the Domain with a name, or nil if it does not exist.
func Find(ctx context.Context, reader client.Reader, namespace, name string) (*v1alpha1.Domain, error) {
	domain := &v1alpha1.Domain{}
	err := reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, domain)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading Domain %q: %w", name, err)
	}
	return domain, nil
}

// Claim sets a finalizer on an object, and its Domain as its owner unless another object owns it,
// and reports whether it changed the object. A Domain that is nil or being deleted is not set as an
// owner. live must not read from a cache; see package owner.
func Claim(ctx context.Context, live client.Reader, object client.Object, finalizer string, domain *v1alpha1.Domain,
	scheme *runtime.Scheme) (bool, error) {
	changed := controllerutil.AddFinalizer(object, finalizer)
	if domain == nil || domain.DeletionTimestamp != nil {
		return changed, nil
	}
	owned, err := owner.Offer(ctx, live, scheme, domain, object)
	return changed || owned, err
}

// DomainID returns the id of the Takaro domain that the Domain holds, or "" if it holds none. The
// rest of the status is used only for an object of an earlier release, until its Domain has a
// ledger.
func DomainID(domain *v1alpha1.Domain) string {
	if domain.Status.Ownership == nil {
		return domain.Status.DomainID
	}
	for _, record := range domain.Status.Ownership.Records {
		if record.Kind == kindDomain && record.State == ownership.Held {
			return record.ID
		}
	}
	return ""
}

// InMaintenance reports whether Takaro rejects most requests in a Domain's domain because of its
// spec.
func InMaintenance(domain *v1alpha1.Domain) bool {
	return domain.Spec.MaintenanceMode || domain.Spec.Disabled
}

// Matters accepts the changes of a Domain that affect the objects that refer to it, but not changes
// of its counts of them.
var Matters = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.Domain), e.ObjectNew.(*v1alpha1.Domain)
	return before.Generation != now.Generation ||
		before.DeletionTimestamp.IsZero() != now.DeletionTimestamp.IsZero() ||
		before.Status.ObservedGeneration != now.Status.ObservedGeneration ||
		DomainID(before) != DomainID(now) ||
		DeletionHeld(before) != DeletionHeld(now) ||
		Missing(before) != Missing(now) ||
		!apiequality.Semantic.DeepEqual(before.Status.RegistrationTokenSecretRef, now.Status.RegistrationTokenSecretRef) ||
		!apiequality.Semantic.DeepEqual(before.Status.ObservedLimits, now.Status.ObservedLimits) ||
		meta.IsStatusConditionFalse(before.Status.Conditions,
			v1alpha1.ConditionEndpointReady) != meta.IsStatusConditionFalse(now.Status.Conditions, v1alpha1.ConditionEndpointReady)
}}

// DeletionHeld reports whether the status says that the deletion of a Domain is held. The deletion
// of its dependents is then held too.
func DeletionHeld(domain *v1alpha1.Domain) bool {
	return syncedReason(domain) == v1alpha1.ReasonDeletionHeld
}

// Missing reports whether the status says that the Takaro domain, and therefore its content, no
// longer exists.
func Missing(domain *v1alpha1.Domain) bool {
	return syncedReason(domain) == v1alpha1.ReasonVanished
}

// syncedReason returns the reason of the condition Synced, or "" if there is none.
func syncedReason(domain *v1alpha1.Domain) string {
	if synced := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionSynced); synced != nil {
		return synced.Reason
	}
	return ""
}
