// SPDX-License-Identifier: Apache-2.0

// Package lookup reads objects of the group release.roadstead.dev from the store, for rules that concern more than one.
package lookup

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// Getter reads one object by its name; the store of a resource is one.
type Getter interface {
	Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error)
}

// Objects are the stores that rules read. The returned objects must not be changed.
type Objects struct {
	Operators        Getter
	OperatorVersions Getter
	CRDSchemas       Getter
	// Versions returns the OperatorVersions of all Operators, in no order.
	Versions func(ctx context.Context) ([]release.OperatorVersion, error)
}

// Operator returns an Operator, or nil if it does not exist.
func (o *Objects) Operator(ctx context.Context, name string) (*release.Operator, error) {
	return get[release.Operator](ctx, o.Operators, name)
}

// OperatorVersion returns an OperatorVersion, or nil if it does not exist.
func (o *Objects) OperatorVersion(ctx context.Context, name string) (*release.OperatorVersion, error) {
	return get[release.OperatorVersion](ctx, o.OperatorVersions, name)
}

// CRDSchema returns a CRDSchema, or nil if it does not exist.
func (o *Objects) CRDSchema(ctx context.Context, name string) (*release.CRDSchema, error) {
	return get[release.CRDSchema](ctx, o.CRDSchemas, name)
}

func get[E any](ctx context.Context, from Getter, name string) (*E, error) {
	found, err := from.Get(ctx, name, &metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return any(found).(*E), nil
}
