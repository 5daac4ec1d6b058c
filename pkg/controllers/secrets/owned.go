// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"bytes"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/owner"
)

// ManagedByLabel marks the Secrets that we write.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedByValue = "roadstead"
)

// NameTakenError says that a Secret which would be written belongs to somebody else.
type NameTakenError struct {
	Key types.NamespacedName
}

// Error says what to do about it.
func (e *NameTakenError) Error() string {
	return fmt.Sprintf("Secret %q exists and is not controlled by this object; it is not touched: delete or rename it", e.Key.Name)
}

// Owned reads and writes the Secrets that belong to API objects.
type Owned struct {
	*Reader
	writer client.Client
}

// NewOwned returns an Owned. The writer's scheme must know the owners.
func NewOwned(reader *Reader, writer client.Client) *Owned {
	return &Owned{Reader: reader, writer: writer}
}

// Find returns the owner's Secret, nil when there is none, a *NameTakenError when the name is somebody else's. An orphaned
// Secret becomes the owner's, unless that is being deleted.
func (o *Owned) Find(ctx context.Context, owner client.Object, name string) (*corev1.Secret, error) {
	key := types.NamespacedName{Namespace: owner.GetNamespace(), Name: name}
	secret, err := o.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case metav1.IsControlledBy(secret, owner):
		return secret, nil
	case orphaned(secret) && owner.GetDeletionTimestamp() == nil:
		return o.take(ctx, owner, secret)
	}
	return nil, &NameTakenError{Key: key}
}

// Apply makes the owner's Secret hold data, and writes only when it does not. Keys that are not in data are removed.
func (o *Owned) Apply(ctx context.Context, owner client.Object, name string, data map[string][]byte) error {
	return o.Modify(ctx, owner, name, func(map[string][]byte) map[string][]byte { return data })
}

// Modify makes the owner's Secret hold what change returns for its present data, nil if there is no Secret. It writes only a
// difference, and fails with a conflict if the Secret is not the one that change was given. change must not modify its
// argument.
func (o *Owned) Modify(ctx context.Context, owner client.Object, name string, change func(map[string][]byte) map[string][]byte) error {
	found, err := o.Find(ctx, owner, name)
	if err != nil {
		return err
	}
	if found == nil {
		return o.create(ctx, owner, name, change(nil))
	}
	data := change(found.Data)
	if equal(found.Data, data) && found.Labels[ManagedByLabel] == ManagedByValue {
		return nil
	}
	changed := found.DeepCopy()
	changed.Data = data
	metav1.SetMetaDataLabel(&changed.ObjectMeta, ManagedByLabel, ManagedByValue)
	if err := o.writer.Update(ctx, changed); err != nil {
		return fmt.Errorf("updating Secret %q: %w", name, err)
	}
	o.remember(changed)
	return nil
}

func (o *Owned) create(ctx context.Context, of client.Object, name string, data map[string][]byte) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: of.GetNamespace(),
			Name:      name,
			Labels:    map[string]string{ManagedByLabel: ManagedByValue},
		},
		Type: corev1.SecretTypeOpaque,
		Data: data,
	}
	if err := owner.SetController(ctx, o.live, o.writer.Scheme(), of, secret); err != nil {
		return fmt.Errorf("owner of Secret %q: %w", name, err)
	}
	if err := o.writer.Create(ctx, secret); err != nil {
		return fmt.Errorf("creating Secret %q: %w", name, err)
	}
	o.remember(secret)
	return nil
}

func equal(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || !bytes.Equal(value, other) {
			return false
		}
	}
	return true
}
