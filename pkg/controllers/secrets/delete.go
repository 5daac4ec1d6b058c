// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	base "roadstead.dev/roadstead/pkg/controllers/base/owner"
)

// Delete deletes the owner's Secret, if it exists. The garbage collector would delete it later, and
// until then an object that is created again would find the name in use. It keeps a foreign Secret,
// and that of an owner which is deleted with --cascade=orphan. A Secret in a namespace that is not
// served is left to the garbage collector.
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
		// The resource version is a precondition too: the garbage collector may have orphaned the
		// Secret since it was read.
		as := client.Preconditions{UID: &found.UID, ResourceVersion: &found.ResourceVersion}
		if err := o.writer.Delete(ctx, found.DeepCopy(), as); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting Secret %q: %w", name, err)
		}
	}
	return nil
}
