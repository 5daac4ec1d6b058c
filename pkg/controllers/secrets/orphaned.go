// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/owner"
)

// orphaned reports whether Roadstead wrote the Secret for an object that was deleted with
// --cascade=orphan, or whose owner reference an administrator removed.
func orphaned(secret *corev1.Secret) bool {
	return secret.Labels[ManagedByLabel] == ManagedByValue && len(secret.OwnerReferences) == 0 && secret.DeletionTimestamp == nil
}

// take sets the owner as the controller of an orphaned Secret. The content is kept, as it may be
// the only copy of a password. A label and a name are no proof, but any user that can create such a
// Secret could also write to that of the owner.
func (o *Owned) take(ctx context.Context, of client.Object, secret *corev1.Secret) (*corev1.Secret, error) {
	taken := secret.DeepCopy()
	if err := owner.SetController(ctx, o.live, o.writer.Scheme(), of, taken); err != nil {
		return nil, fmt.Errorf("owner of Secret %q: %w", secret.Name, err)
	}
	if err := o.writer.Update(ctx, taken); err != nil {
		return nil, fmt.Errorf("updating Secret %q: %w", secret.Name, err)
	}
	o.written(taken)
	return taken, nil
}
