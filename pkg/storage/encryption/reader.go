// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
)

// Reader decrypts with the seeds in the Secret. It is for inspecting a store that may not be the
// one of this installation: it never encrypts, does not change the seeds of the server, and a value
// of an unknown seed does not close the gate.
type Reader struct {
	*Transformers
	client    kubernetes.Interface
	namespace string
}

// NewReader returns a Reader that knows no seed until Refresh is called.
func NewReader(client kubernetes.Interface, namespace string) (*Reader, error) {
	transformers, err := NewTransformers(nil, func(schema.GroupResource) {})
	return &Reader{transformers, client, namespace}, err
}

// Refresh reads the Secret.
func (r *Reader) Refresh(ctx context.Context) error {
	secret, err := r.client.CoreV1().Secrets(r.namespace).Get(ctx, SecretName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get Secret %s/%s: %w", r.namespace, SecretName, err)
	}
	seeds, err := fromSecret(secret)
	if err != nil {
		return fmt.Errorf("read Secret %s/%s: %w", r.namespace, SecretName, err)
	}
	_, err = r.Use(seeds)
	return err
}
