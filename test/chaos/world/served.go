// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// guardService is the APIService through which kube-apiserver reaches the CRD guard.
	guardService = "v1alpha1.release.roadstead.dev"
	// servedLimit is longer than kube-aggregator's longest pause (30 seconds) between two checks of
	// a server that failed.
	servedLimit = 45 * time.Second
)

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// AwaitServed waits until kube-apiserver finds an API server, for at most 45 seconds.
func (w *World) AwaitServed(ctx context.Context) {
	_ = wait.PollUntilContextTimeout(ctx, time.Second, servedLimit, true, func(ctx context.Context) (bool, error) {
		service, err := w.Dynamic.Resource(apiServices).Get(ctx, guardService, metav1.GetOptions{})
		return err == nil && IsTrue(service, "Available"), nil
	})
}

// IsTrue reports whether a condition of an object is True.
func IsTrue(object *unstructured.Unstructured, condition string) bool {
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(one any) bool {
		fields, _ := one.(map[string]any)
		return fields["type"] == condition && fields["status"] == "True"
	})
}
