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

// Owned reads and writes the Secrets that belong to API objects. Of their contents it remembers digests.
type Owned struct {
	*Reader
	writer   client.Client
	versions *versions
}

// NewOwned returns an Owned. The writer's scheme must know the owners.
func NewOwned(reader *Reader, writer client.Client) *Owned {
	return &Owned{Reader: reader, writer: writer, versions: newVersions()}
}

// Find returns the owner's Secret, nil when there is none, a *NameTakenError when the name is somebody else's. An orphaned
// Secret becomes the owner's, unless that is being deleted.
func (o *Owned) Find(ctx context.Context, owner client.Object, name string) (*corev1.Secret, error) {
	key := types.NamespacedName{Namespace: owner.GetNamespace(), Name: name}
	secret, err := o.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		o.versions.forget(key)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case metav1.IsControlledBy(secret, owner):
		o.versions.remember(secret)
		return secret, nil
	case orphaned(secret) && owner.GetDeletionTimestamp() == nil:
		return o.take(ctx, owner, secret)
	}
	return nil, &NameTakenError{Key: key}
}

// Holds reports whether the owner's Secret has the value under a key, false when there is no such
// Secret. An unchanged Secret is not read again.
func (o *Owned) Holds(ctx context.Context, owner client.Object, name, key string, value []byte) (bool, error) {
	known, ok, err := o.recall(ctx, owner, name)
	if err != nil {
		return false, err
	}
	if ok {
		held, found := known.values[key]
		return found && held == o.versions.of(value), nil
	}
	secret, err := o.Find(ctx, owner, name)
	if err != nil || secret == nil {
		return false, err
	}
	held, found := secret.Data[key]
	return found && bytes.Equal(held, value), nil
}

// recall returns what is remembered of the owner's Secret, false if nothing is or the Secret changed since.
func (o *Owned) recall(ctx context.Context, owner client.Object, name string) (version, bool, error) {
	metadata := Metadata()
	err := o.cached.Get(ctx, types.NamespacedName{Namespace: owner.GetNamespace(), Name: name}, metadata)
	if err != nil {
		return version{}, false, client.IgnoreNotFound(err)
	}
	known, ok := o.versions.recall(metadata)
	return known, ok && known.owner == owner.GetUID(), nil
}

// Forget drops what is known of a Secret that is not needed any more.
func (o *Owned) Forget(key types.NamespacedName) {
	o.contents.Delete(key)
	o.versions.forget(key)
}

// Apply makes the owner's Secret hold data, and writes only when it does not. Keys that are not in data are removed.
func (o *Owned) Apply(ctx context.Context, owner client.Object, name string, data map[string][]byte) error {
	known, ok, err := o.recall(ctx, owner, name)
	if err != nil {
		return err
	}
	if ok && known.managed && known.content == o.versions.ofAll(data) {
		return nil
	}
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
	o.written(changed)
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
	o.written(secret)
	return nil
}

// written notes the Secret that the API server answered a write with. Its content is not needed any more.
func (o *Owned) written(secret *corev1.Secret) {
	o.contents.Delete(client.ObjectKeyFromObject(secret))
	o.versions.remember(secret)
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
