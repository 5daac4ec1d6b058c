// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/shortlived"
)

// contentLife is how long the content of a Secret stays in memory after it was last used. It is
// longer than the time between two comparisons with Takaro, which need the same credentials each
// time.
const contentLife = 2 * time.Minute

// Metadata returns an empty object that causes the cache to store Secrets without their content.
func Metadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return object
}

// Reader reads Secrets. A Secret that is in use and did not change causes no request, because its
// cached resourceVersion shows that. Its content is removed from memory two minutes after the last
// use.
type Reader struct {
	cached, live client.Reader
	contents     *shortlived.Map[types.NamespacedName, *corev1.Secret]
}

// NewReader returns a Reader. cached must serve metadata of Secrets (see Metadata), live their content.
func NewReader(cached, live client.Reader) *Reader {
	return newReader(cached, live, clock.RealClock{})
}

func newReader(cached, live client.Reader, clock clock.WithDelayedExecution) *Reader {
	return &Reader{cached: cached, live: live, contents: shortlived.New[types.NamespacedName, *corev1.Secret](contentLife, clock)}
}

// Get returns a Secret without its managedFields. The caller must not modify or keep it. The error
// is IsNotFound if the Secret does not exist.
func (r *Reader) Get(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	metadata := Metadata()
	err := r.cached.Get(ctx, key, metadata)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	if known, ok := r.contents.Use(key); err == nil && ok &&
		known.UID == metadata.UID && known.ResourceVersion == metadata.ResourceVersion {
		return known, nil
	}
	return r.GetLive(ctx, key)
}

// GetLive returns the current Secret of the API server, without using the content in memory.
func (r *Reader) GetLive(ctx context.Context, key types.NamespacedName) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := r.live.Get(ctx, key, secret); err != nil {
		if apierrors.IsNotFound(err) {
			r.contents.Delete(key)
		}
		return nil, err
	}
	// The API server keeps the managedFields if an update contains none.
	secret.ManagedFields = nil
	r.contents.Set(key, secret)
	return secret, nil
}
