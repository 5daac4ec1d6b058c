// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

// Source reads the objects that Operators refer to.
type Source struct{ Secrets *secrets.Reader }

// Repository returns the repository of the chart of an Operator, with credentials. revision changes
// whenever the credentials may have changed.
func (s Source) Repository(ctx context.Context, operator *v1alpha1.Operator) (from repository.Repository,
	revision string, problem *base.Blocked) {
	from.URL = operator.Spec.Chart.Repository
	ref := operator.Spec.Chart.CredentialsSecretRef
	if ref == nil {
		return from, "", nil
	}
	secret, problem := s.secret(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, "spec.chart.credentialsSecretRef")
	if problem != nil {
		return from, "", problem
	}
	credentials, err := credentialsOf(secret, from.URL)
	if err != nil {
		return from, "", invalid(secret, err.Error())
	}
	from.Credentials = credentials
	return from, string(secret.UID) + "/" + secret.ResourceVersion, nil
}

func credentialsOf(secret *corev1.Secret, url string) (repository.Credentials, error) {
	switch secret.Type {
	case corev1.SecretTypeBasicAuth:
		username, password := secret.Data[corev1.BasicAuthUsernameKey], secret.Data[corev1.BasicAuthPasswordKey]
		if len(username) == 0 && len(password) == 0 {
			return repository.Credentials{}, fmt.Errorf("has neither the key %s nor %s", corev1.BasicAuthUsernameKey, corev1.BasicAuthPasswordKey)
		}
		return repository.BasicAuth(string(username), string(password)), nil
	case corev1.SecretTypeDockerConfigJson:
		credentials, err := repository.FromDockerConfig(secret.Data[corev1.DockerConfigJsonKey], url)
		if err != nil {
			return repository.Credentials{}, fmt.Errorf("has no usable key %s: %w", corev1.DockerConfigJsonKey, err)
		}
		return credentials, nil
	}
	return repository.Credentials{}, fmt.Errorf("is of type %q: it must be of type %s or %s", secret.Type, corev1.SecretTypeBasicAuth,
		corev1.SecretTypeDockerConfigJson)
}

func (s Source) secret(ctx context.Context, key types.NamespacedName, field string) (*corev1.Secret, *base.Blocked) {
	secret, err := s.Secrets.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return nil, &base.Blocked{Reason: v1alpha1.ReasonSecretNotFound,
			Message: fmt.Sprintf("Secret %q in namespace %q, which %s of the Operator names, is not there: make it, or change the Operator",
				key.Name, key.Namespace, field)}
	}
	var notServed *secrets.NamespaceNotServedError
	if errors.As(err, &notServed) {
		return nil, &base.Blocked{Reason: v1alpha1.ReasonNamespaceNotServed,
			Message: fmt.Sprintf("Secret %q of %s cannot be read: %v", key.Name, field, notServed)}
	}
	if err != nil {
		return nil, Request(fmt.Sprintf("reading Secret %q in namespace %q", key.Name, key.Namespace), err)
	}
	return secret, nil
}

func invalid(secret *corev1.Secret, what string) *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonSecretInvalid, Message: fmt.Sprintf("Secret %q in namespace %q %s",
		secret.Name, secret.Namespace, what)}
}

// SecretKeys returns the Secrets that an Operator refers to, as "namespace/name", for an index.
func SecretKeys(operator *v1alpha1.Operator) []string {
	var keys []string
	if ref := operator.Spec.Chart.CredentialsSecretRef; ref != nil {
		keys = append(keys, ref.Namespace+"/"+ref.Name)
	}
	for _, from := range operator.Spec.ValuesFrom {
		if from.SecretRef != nil {
			keys = append(keys, from.SecretRef.Namespace+"/"+from.SecretRef.Name)
		}
	}
	return keys
}
