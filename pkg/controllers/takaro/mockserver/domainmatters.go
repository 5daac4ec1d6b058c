// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// domainMatters lets through the changes of a Domain for which its MockServers wait, and not its counts of them.
var domainMatters = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.Domain), e.ObjectNew.(*v1alpha1.Domain)
	return before.Generation != now.Generation ||
		before.DeletionTimestamp.IsZero() != now.DeletionTimestamp.IsZero() ||
		before.Status.ObservedGeneration != now.Status.ObservedGeneration ||
		before.Status.DomainID != now.Status.DomainID ||
		!apiequality.Semantic.DeepEqual(before.Status.RegistrationTokenSecretRef, now.Status.RegistrationTokenSecretRef) ||
		!apiequality.Semantic.DeepEqual(before.Status.ObservedLimits, now.Status.ObservedLimits) ||
		meta.IsStatusConditionFalse(before.Status.Conditions, v1alpha1.ConditionEndpointReady) != meta.IsStatusConditionFalse(now.Status.Conditions, v1alpha1.ConditionEndpointReady)
}}
