// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// BoundClusterRole is the ClusterRole that RoleBindings grant in each namespace in which the
// controller may use Secrets, if it may not use the Secrets of all namespaces.
const BoundClusterRole = "roadstead-controller-secrets"

// NamespaceNotServedError is returned if the controller may not use Secrets in a namespace.
type NamespaceNotServedError struct {
	// Namespace is the namespace of the Secret.
	Namespace string
}

// Error returns the instructions for an administrator.
func (e *NamespaceNotServedError) Error() string {
	return fmt.Sprintf("Roadstead may not use Secrets in namespace %[1]q. To serve the namespace, an administrator must bind "+
		"ClusterRole %[2]s "+
		"to ServiceAccount roadstead-controller in it and start the controller with %[1]q in --secret-namespaces "+
		"(the Helm value controller.secretNamespaces does both).", e.Namespace, BoundClusterRole)
}

// Within returns a reader that is restricted to Secrets of the given namespaces: Get of any other
// Secret returns a *NamespaceNotServedError without a request. No namespaces means all. Objects of
// other kinds are not affected.
func Within(reader client.Reader, namespaces []string) client.Reader {
	if len(namespaces) == 0 {
		return reader
	}
	return &within{Reader: reader, namespaces: namespaces}
}

type within struct {
	client.Reader
	namespaces []string
}

// Get implements client.Reader.
func (w *within) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	if isSecret(object) && !slices.Contains(w.namespaces, key.Namespace) {
		return &NamespaceNotServedError{Namespace: key.Namespace}
	}
	return w.Reader.Get(ctx, key, object, options...)
}

func isSecret(object client.Object) bool {
	switch typed := object.(type) {
	case *corev1.Secret:
		return true
	case *metav1.PartialObjectMetadata:
		return typed.GroupVersionKind().GroupKind() == corev1.SchemeGroupVersion.WithKind("Secret").GroupKind()
	}
	return false
}
