// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// userCounts lets through the changes of a User by which its Domain's counts change.
var userCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.User), e.ObjectNew.(*v1alpha1.User)
	return meta.IsStatusConditionTrue(before.Status.Conditions, v1alpha1.ConditionReady) != meta.IsStatusConditionTrue(now.Status.Conditions, v1alpha1.ConditionReady)
}}
