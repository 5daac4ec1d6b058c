// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// Namespaces is implemented by a live reader that knows which namespaces were deleted.
type Namespaces interface {
	// Ended reports whether a namespace was deleted: its deletion was observed or confirmed, and it
	// does not exist. Absence alone is no evidence, because the cluster may have been rolled back.
	Ended(ctx context.Context, name string) (bool, error)
}

// Awaited returns what blocks the deletion of an object in a namespace. It returns nil if nothing
// does, or if the object waits for a Secret that cannot be created because its namespace was
// deleted. Its objects in Takaro are then left, since the object would otherwise stay forever, and
// message is logged with the keys and values. live must not read from a cache. If it does not
// implement Namespaces, no namespace counts as deleted.
func Awaited(
	ctx context.Context, live client.Reader, namespace string, blocked *base.Blocked, message string, keysAndValues ...any,
) (*base.Blocked, error) {
	namespaces, known := live.(Namespaces)
	if !known || blocked == nil || blocked.Reason != v1alpha1.ReasonSecretNotFound {
		return blocked, nil
	}
	if ended, err := namespaces.Ended(ctx, namespace); err != nil || !ended {
		return blocked, err
	}
	log.FromContext(ctx).Info(message, append(keysAndValues, "blockedBy", blocked.Message)...)
	return nil, nil
}
