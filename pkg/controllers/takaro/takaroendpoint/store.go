// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// Finalizer blocks the deletion of a TakaroEndpoint while an object uses it.
const Finalizer = "takaro.roadstead.dev/takaro-endpoint"

// ensure returns the stored TakaroEndpoint, with its installation, and creates it if there is none.
// If it cannot be stored, ensure returns one without a resourceVersion.
func (k *Keeper) ensure(ctx context.Context, at types.NamespacedName, address string) (*v1alpha1.TakaroEndpoint, error) {
	wanted := &v1alpha1.TakaroEndpoint{
		ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Finalizers: []string{Finalizer}},
		Spec:       v1alpha1.TakaroEndpointSpec{URL: address},
	}
	unstored := wanted.DeepCopy()
	unstored.Status.Installation = k.Installation
	if k.Client == nil {
		return unstored, nil
	}
	found := &v1alpha1.TakaroEndpoint{}
	err := k.Client.Get(ctx, at, found)
	if apierrors.IsNotFound(err) {
		err = k.Client.Create(ctx, wanted)
		found = wanted
		switch {
		case apierrors.IsAlreadyExists(err):
			err = k.Live.Get(ctx, at, found)
		case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), apierrors.IsNotFound(err):
			// The domains of a namespace that is being deleted must be deleted without a
			// TakaroEndpoint. Otherwise they would block the namespace forever.
			return unstored, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("get or create TakaroEndpoint %s: %w", at, err)
	}
	if found.Spec.URL != address {
		return nil, fmt.Errorf("TakaroEndpoint %s is for %s, not for %s; delete it", at, found.Spec.URL, address)
	}
	if found.Status.Installation != "" {
		return found, nil
	}
	return k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) {
		if e.Status.Installation == "" {
			e.Status.Installation = k.Installation
		}
	})
}

// update changes the stored status and its conditions, and returns the result. It reads without the
// cache only if the cached object turns out to be outdated.
func (k *Keeper) update(
	ctx context.Context, at types.NamespacedName, change func(*v1alpha1.TakaroEndpoint),
) (*v1alpha1.TakaroEndpoint, error) {
	var stored, before *v1alpha1.TakaroEndpoint
	reader := client.Reader(k.Client)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		stored = &v1alpha1.TakaroEndpoint{}
		err := reader.Get(ctx, at, stored)
		if apierrors.IsNotFound(err) && reader != k.Live {
			err = k.Live.Get(ctx, at, stored)
		}
		if err != nil {
			return err
		}
		reader, before = k.Live, stored.DeepCopy()
		change(stored)
		k.describe(stored)
		if apiequality.Semantic.DeepEqual(before.Status, stored.Status) {
			return nil
		}
		return k.Client.Status().Update(ctx, stored)
	})
	if err != nil {
		return nil, fmt.Errorf("update the status of TakaroEndpoint %s: %w", at, err)
	}
	k.notify(before, stored)
	return stored, nil
}
