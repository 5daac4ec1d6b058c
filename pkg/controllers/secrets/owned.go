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

// ManagedByLabel is set on the Secrets that Roadstead writes.
const (
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedByValue = "roadstead"
)

// NameTakenError is returned if a foreign Secret has the name of a Secret that would be written.
type NameTakenError struct {
	Key types.NamespacedName
}

// Error returns the problem with instructions.
func (e *NameTakenError) Error() string {
	return fmt.Sprintf("Secret %q exists and is not controlled by this object; it is not touched: delete or rename it", e.Key.Name)
}

// Owned reads and writes the Secrets that API objects own. It keeps only digests of their contents.
type Owned struct {
	*Reader
	writer   client.Client
	versions *versions
}

// NewOwned returns an Owned. The writer's scheme must know the owners.
func NewOwned(reader *Reader, writer client.Client) *Owned {
	return &Owned{Reader: reader, writer: writer, versions: newVersions()}
}

// Find returns the owner's Secret, nil if it does not exist, or a *NameTakenError if a foreign
// Secret has the name. It sets the owner of an orphaned Secret, unless the owner is being deleted.
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

// Holds reports whether the owner's Secret contains the value for a key. It returns false if the
// Secret does not exist. An unchanged Secret is not read again.
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

// recall returns what is known of the owner's Secret, and false if nothing is known or the Secret
// changed since.
func (o *Owned) recall(ctx context.Context, owner client.Object, name string) (version, bool, error) {
	metadata := Metadata()
	err := o.cached.Get(ctx, types.NamespacedName{Namespace: owner.GetNamespace(), Name: name}, metadata)
	if err != nil {
		return version{}, false, client.IgnoreNotFound(err)
	}
	known, ok := o.versions.recall(metadata)
	return known, ok && known.owner == owner.GetUID(), nil
}

// Forget removes what is known of a Secret that is no longer needed.
func (o *Owned) Forget(key types.NamespacedName) {
	o.contents.Delete(key)
	o.versions.forget(key)
}

// Apply sets the content of the owner's Secret to data, and sends a write only if the content
// differs. Keys that are not in data are removed.
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

// Modify sets the content of the owner's Secret to the result of change for its current data, which
// is nil if there is no Secret. It sends a write only if the content differs, and fails with a
// conflict if the Secret changed since it was passed to change. change must not modify its
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

// written records the Secret that the API server returned for a write. Its content is no longer
// needed.
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
