// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"crypto/rand"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

const (
	// SeedSecretName is the Secret in the installation's namespace from which passwords are derived. Without it, users that
	// were deleted and come again do not get their password back: it belongs into every backup.
	SeedSecretName = "roadstead-takaro-seed"
	// SeedKey is its key.
	SeedKey  = "seed"
	seedSize = 32
)

// seedStore gives the installation's seed.
type seedStore struct {
	secrets   *secrets.Reader
	writer    client.Writer
	namespace string
}

// get returns the seed, made now if there is none.
func (s *seedStore) get(ctx context.Context) ([]byte, error) {
	key := types.NamespacedName{Namespace: s.namespace, Name: SeedSecretName}
	secret, err := s.secrets.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		secret, err = s.create(ctx, key)
	}
	if err != nil {
		return nil, fmt.Errorf("the seed of generated passwords in Secret %s: %w", key, err)
	}
	seed := secret.Data[SeedKey]
	if len(seed) < seedSize {
		return nil, &problem.Problem{Reason: v1alpha1.ReasonSeedUnusable, Wait: problem.ForeignWait, Message: fmt.Sprintf(
			"Secret %s has no %d bytes under key %q, so no password can be generated: the operators of this installation must restore it from a backup", key, seedSize, SeedKey)}
	}
	return seed, nil
}

// create makes the seed. Of two controllers the first one's is used by both.
func (s *seedStore) create(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	seed := make([]byte, seedSize)
	if _, err := rand.Read(seed); err != nil {
		return nil, err
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: map[string]string{secrets.ManagedByLabel: secrets.ManagedByValue}},
		Type:       corev1.SecretTypeOpaque,
		Data:       map[string][]byte{SeedKey: seed},
	}
	if err := s.writer.Create(ctx, secret); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	return s.secrets.GetLive(ctx, key)
}
