// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/scaffold"
)

// NeverUnblocked tells whether a deletion that is blocked for a reason waits for what cannot come: a Secret of a namespace
// that is gone, where none can be made. What Takaro has is then left, or the object would stay for ever. live must read
// past any cache.
func NeverUnblocked(ctx context.Context, live client.Reader, namespace, reason string) (bool, error) {
	if reason != v1alpha1.ReasonSecretNotFound {
		return false, nil
	}
	return scaffold.NamespaceAbsent(ctx, live, namespace)
}
