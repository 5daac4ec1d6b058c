// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/user"
	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/framework/install"
)

// losses records the Secrets that the run deleted. The zero value is ready for use.
type losses struct {
	mu  sync.Mutex
	all map[string]bool
}

func at(namespace, name string) string { return namespace + "/" + name }

// Secrets returns the Secrets of the run's namespaces and of the installation's namespace.
func (w *World) Secrets(ctx context.Context) ([]check.Secret, error) {
	list, err := w.Client.CoreV1().Secrets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var all []check.Secret
	for _, one := range list.Items {
		if strings.HasPrefix(one.Namespace, Prefix) || one.Namespace == install.Namespace {
			all = append(all, Secret(&one))
		}
	}
	return all, nil
}

// Prefix is the prefix of the name of each namespace in which clients work.
const Prefix = "chaos-"

// SeedSecret is the Secret in the installation's namespace with the seed of generated passwords.
const SeedSecret = user.SeedSecretName

// Secret returns the data of a Secret that the checks need.
func Secret(in *corev1.Secret) check.Secret {
	return check.Secret{
		Namespace: in.Namespace, Name: in.Name, Data: in.Data, InUse: slices.Contains(in.Finalizers, secrets.InUseFinalizer),
	}
}

// LoseSecret deletes a Secret. The function restore creates it again, as an administrator does from
// a backup, unless a controller has done so.
func (w *World) LoseSecret(ctx context.Context, namespace, name string) (restore func(context.Context) error, err error) {
	client := w.Client.CoreV1().Secrets(namespace)
	stored, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	w.losses.mu.Lock()
	if w.losses.all == nil {
		w.losses.all = map[string]bool{}
	}
	w.losses.all[at(namespace, name)] = true
	w.losses.mu.Unlock()
	err = client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(stored.UID)}})
	return func(ctx context.Context) error {
		again := &corev1.Secret{Type: stored.Type, Data: stored.Data}
		again.Namespace, again.Name, again.Labels = namespace, name, stored.Labels
		_, err := client.Create(ctx, again, metav1.CreateOptions{})
		return err
	}, err
}

// WasLost reports whether the run deleted the Secret.
func (w *World) WasLost(s check.Secret) bool {
	w.losses.mu.Lock()
	defer w.losses.mu.Unlock()
	return w.losses.all[at(s.Namespace, s.Name)]
}
