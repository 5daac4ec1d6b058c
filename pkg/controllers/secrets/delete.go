// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	base "roadstead.dev/roadstead/pkg/controllers/base/owner"
)

// Delete removes the owner's Secret, if there is one. The garbage collector would do it later, and in between the name
// would be taken for an object that is made anew. A Secret of somebody else is left alone, and that of an owner which is
// deleted with --cascade=orphan. One in a namespace that is not served is left to the garbage collector.
func (o *Owned) Delete(ctx context.Context, owner client.Object, name string) error {
	defer o.Forget(client.ObjectKey{Namespace: owner.GetNamespace(), Name: name})
	if base.Orphans(owner) {
		return nil
	}
	found, err := o.Find(ctx, owner, name)
	var taken *NameTakenError
	var notServed *NamespaceNotServedError
	if errors.As(err, &taken) || errors.As(err, &notServed) {
		return nil
	}
	if err != nil {
		return err
	}
	if found != nil {
		// The version too: the garbage collector may have orphaned the Secret since it was read.
		as := client.Preconditions{UID: &found.UID, ResourceVersion: &found.ResourceVersion}
		if err := o.writer.Delete(ctx, found.DeepCopy(), as); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting Secret %q: %w", name, err)
		}
	}
	return nil
}
