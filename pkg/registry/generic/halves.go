// SPDX-License-Identifier: Apache-2.0

package generic

import "k8s.io/apimachinery/pkg/runtime"

// Halves create objects of a kind, and access the spec and the status of an object.
type Halves[T any] struct {
	// New returns an empty object.
	New func() T
	// Spec returns a pointer to the desired state.
	Spec func(T) any
	// CopySpec and CopyStatus copy one half from the second object to the first.
	CopySpec   func(to, from T)
	CopyStatus func(to, from T)
	// ClearStatus empties the status.
	ClearStatus func(T)
}

// HalvesOf returns the Halves of a kind; of returns pointers to its spec and status. For a kind
// without a status, of returns a pointer to an empty struct.
func HalvesOf[T, Spec, Status any](of func(*T) (*Spec, *Status)) Halves[*T] {
	specOf := func(obj *T) *Spec { spec, _ := of(obj); return spec }
	statusOf := func(obj *T) *Status { _, status := of(obj); return status }
	return Halves[*T]{
		New:         func() *T { return new(T) },
		Spec:        func(obj *T) any { return specOf(obj) },
		CopySpec:    func(to, from *T) { *specOf(to) = *specOf(from) },
		CopyStatus:  func(to, from *T) { *statusOf(to) = *statusOf(from) },
		ClearStatus: func(obj *T) { *statusOf(obj) = *new(Status) },
	}
}

// NewList returns an empty list of a kind.
func NewList[L any, P interface {
	*L
	runtime.Object
}]() runtime.Object {
	return P(new(L))
}
