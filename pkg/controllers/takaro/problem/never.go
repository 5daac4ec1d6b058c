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
	// Ended reports whether a namespace was deleted: that was seen or confirmed, and it does not
	// exist. That it does not exist is no evidence: the cluster may have been rolled back.
	Ended(ctx context.Context, name string) (bool, error)
}

// Awaited returns what blocks the deletion of an object in a namespace, nil if nothing does or if it waits for a Secret that cannot
// be created, because its namespace was deleted. What Takaro has is then left, since the object would otherwise stay for
// ever; message and its keys and values are logged. live must read past any cache. One that does not implement Namespaces
// knows of no deletion.
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
