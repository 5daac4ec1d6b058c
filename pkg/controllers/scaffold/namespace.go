// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NamespaceAbsent tells whether the API server answers that there is no such namespace. live must read past any cache. Any
// other failure than that answer is an error and no evidence.
func NamespaceAbsent(ctx context.Context, live client.Reader, name string) (bool, error) {
	err := live.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{})
	// A 404 that is no Kubernetes status comes from something in between, such as a proxy.
	if apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for namespace %q: %w", name, err)
	}
	return false, nil
}
