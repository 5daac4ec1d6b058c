// SPDX-License-Identifier: Apache-2.0

// Package encryption encrypts stored objects with seeds of the installation: AES-256-GCM with a fresh key for every
// write, derived from the seed by HKDF (what KMS v2 uses, KEP-3299), so that a seed wears out at no number of writes.
package encryption

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage/value/encrypt/aes"
	"k8s.io/client-go/kubernetes"
)

const (
	// SecretName is the Secret in the installation's namespace that holds the seeds. Losing it loses the objects.
	SecretName = "roadstead-encryption"
	// SeedsKey holds one seed a line, each base64 of SeedSize bytes or more. The first writes, all read.
	SeedsKey = "seeds"
	// SeedSize is the size in bytes of a seed that we make.
	SeedSize = 32
)

// Ensure returns the installation's seeds, made now if there are none. Of several replicas that start together the first
// one's are used by all.
func Ensure(ctx context.Context, client kubernetes.Interface, namespace string) ([][]byte, error) {
	secrets := client.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(ctx, SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		seed := make([]byte, SeedSize)
		if _, err := rand.Read(seed); err != nil {
			return nil, fmt.Errorf("making an encryption seed: %w", err)
		}
		secret, err = secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SecretName},
			Data:       map[string][]byte{SeedsKey: []byte(base64.StdEncoding.EncodeToString(seed) + "\n")},
		}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			secret, err = secrets.Get(ctx, SecretName, metav1.GetOptions{})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the encryption seeds in Secret %s/%s: %w", namespace, SecretName, err)
	}
	return fromSecret(secret)
}

// Existing returns the installation's seeds, or none when there is no such Secret.
func Existing(ctx context.Context, client kubernetes.Interface, namespace string) ([][]byte, error) {
	secret, err := client.CoreV1().Secrets(namespace).Get(ctx, SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the encryption seeds in Secret %s/%s: %w", namespace, SecretName, err)
	}
	return fromSecret(secret)
}

func fromSecret(secret *corev1.Secret) ([][]byte, error) {
	seeds, err := parse(secret.Data[SeedsKey])
	if err != nil {
		return nil, fmt.Errorf("the encryption seeds in Secret %s/%s, key %s: %w", secret.Namespace, secret.Name, SeedsKey, err)
	}
	return seeds, nil
}

// parse reads one seed a line.
func parse(text []byte) ([][]byte, error) {
	var seeds [][]byte
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		seed, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(seed) < aes.MinSeedSizeExtendedNonceGCM {
			return nil, fmt.Errorf("line %d is not base64 of %d bytes or more", number+1, aes.MinSeedSizeExtendedNonceGCM)
		}
		seeds = append(seeds, seed)
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("there is no seed: restore the Secret from a backup")
	}
	return seeds, nil
}
