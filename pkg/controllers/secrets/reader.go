// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Metadata returns an empty object by which the cache holds a Secret without its content.
func Metadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return object
}

// Reader reads Secrets that are in use. One that did not change since the last read costs no request: the cached
// resourceVersion tells.
type Reader struct {
	cached, live client.Reader

	mu    sync.Mutex
	known map[types.NamespacedName]*corev1.Secret
}

// NewReader returns a Reader. cached must serve metadata of Secrets (see Metadata), live their content.
func NewReader(cached, live client.Reader) *Reader {
	return &Reader{cached: cached, live: live, known: map[types.NamespacedName]*corev1.Secret{}}
}

// Get returns a Secret, which the caller must not change. IsNotFound when there is none.
func (r *Reader) Get(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	metadata := Metadata()
	err := r.cached.Get(ctx, key, metadata)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	if known := r.recall(key); err == nil && known != nil &&
		known.UID == metadata.UID && known.ResourceVersion == metadata.ResourceVersion {
		return known, nil
	}
	return r.GetLive(ctx, key)
}

// GetLive returns a Secret as the API server has it now, past what is known.
func (r *Reader) GetLive(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := r.live.Get(ctx, key, secret); err != nil {
		if apierrors.IsNotFound(err) {
			r.Forget(key)
		}
		return nil, err
	}
	r.remember(secret)
	return secret, nil
}

// Forget drops what is known of a Secret that is not needed any more.
func (r *Reader) Forget(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, key)
}

func (r *Reader) recall(key types.NamespacedName) *corev1.Secret {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[key]
}

func (r *Reader) remember(secret *corev1.Secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[client.ObjectKeyFromObject(secret)] = secret
}
