// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

// validateSecretNamespaces validates --secret-namespaces.
func validateSecretNamespaces(namespaces []string) []error {
	var errs []error
	for _, namespace := range namespaces {
		for _, problem := range validation.IsDNS1123Label(namespace) {
			errs = append(errs, fmt.Errorf("--secret-namespaces: %q: %s", namespace, problem))
		}
	}
	return errs
}

// usableSecretNamespaces returns the namespaces in which Secrets can be used, or nil for all. These
// are the installation's and the listed ones in which the controller may list Secrets: the cache of
// a namespace without this permission would never sync, and the controllers would not start.
func usableSecretNamespaces(ctx context.Context, client metadata.Interface, own string, listed []string) ([]string, error) {
	if len(listed) == 0 {
		return nil, nil
	}
	usable := []string{own}
	for _, namespace := range listed {
		if slices.Contains(usable, namespace) {
			continue
		}
		_, err := client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 1})
		switch {
		case apierrors.IsForbidden(err):
			log.FromContext(ctx).Error(err, "The namespace of --secret-namespaces is not served. Bind ClusterRole "+secrets.BoundClusterRole+
				" in it and restart the controller", "namespace", namespace)
		case err != nil:
			return nil, fmt.Errorf("list Secrets in namespace %q of --secret-namespaces: %w", namespace, err)
		default:
			usable = append(usable, namespace)
		}
	}
	return usable, nil
}

// secretCache returns the cache options of Secrets.
func secretCache(namespaces []string) cache.ByObject {
	var held cache.ByObject
	for _, namespace := range namespaces {
		if held.Namespaces == nil {
			held.Namespaces = map[string]cache.Config{}
		}
		held.Namespaces[namespace] = cache.Config{}
	}
	return held
}
