// SPDX-License-Identifier: Apache-2.0

package boundstest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// Scheme returns a scheme with the kinds of a group.
func Scheme(install func(*runtime.Scheme)) *runtime.Scheme {
	scheme := runtime.NewScheme()
	install(scheme)
	return scheme
}

// Conditions returns valid conditions in which every string is set.
func Conditions() []metav1.Condition {
	return []metav1.Condition{{Type: "Ready", Status: "True", Reason: "AsSpecified", Message: "text", LastTransitionTime: metav1.Now()}}
}

// Ownership returns a valid ledger in which every field is set.
func Ownership() *ownership.Status {
	return &ownership.Status{
		Records: []ownership.Record{{Kind: "Kind", ID: "id", Key: "key", Parent: "parent", State: ownership.Held, Origin: ownership.Created}},
		Facts:   map[string]string{"fact": "hash"},
	}
}
