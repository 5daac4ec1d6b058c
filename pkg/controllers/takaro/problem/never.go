// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// Namespaces is implemented by a live reader that knows which namespaces were deleted.
type Namespaces interface {
	// Ended reports whether a namespace was deleted: that was seen or confirmed, and it does not
	// exist. That it does not exist is no evidence: the cluster may have been rolled back.
	Ended(ctx context.Context, name string) (bool, error)
}

// NeverUnblocked reports whether a deletion that is blocked for a reason waits for a Secret that
// cannot be created, because its namespace was deleted. What Takaro has is then left, since the
// object would otherwise stay for ever. live must read past any cache. One that does not implement
// Namespaces knows of no deletion.
func NeverUnblocked(ctx context.Context, live client.Reader, namespace, reason string) (bool, error) {
	namespaces, known := live.(Namespaces)
	if !known || reason != v1alpha1.ReasonSecretNotFound {
		return false, nil
	}
	return namespaces.Ended(ctx, namespace)
}
