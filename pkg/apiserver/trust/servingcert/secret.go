// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// ensure returns the content of the installation's Secret, which it creates if it does not exist.
// If several replicas start at the same time, all of them use the Secret of the first one.
func ensure(ctx context.Context, client kubernetes.Interface, namespace string, o observation) (*record, error) {
	secrets := client.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(ctx, SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh, makeErr := perform(create, o)
		if makeErr != nil {
			return nil, makeErr
		}
		if secret, err = newSecret(namespace, fresh); err != nil {
			return nil, err
		}
		secret, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			secret, err = secrets.Get(ctx, SecretName, metav1.GetOptions{})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("serving certificate in Secret %s/%s: %w", namespace, SecretName, err)
	}
	stored, err := parse(secret.Data)
	if err != nil {
		return nil, fmt.Errorf("serving certificate: Secret %s/%s is damaged (%w): delete it and restart the server, which creates a new one",
			namespace, SecretName, err)
	}
	return stored, nil
}

func newSecret(namespace string, r *record) (*corev1.Secret, error) {
	data, err := r.data()
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SecretName}, Type: corev1.SecretTypeTLS, Data: data}, nil
}
