// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// anchorLimit is how long the deletion of a TakaroEndpoint waits for that of its anchor.
const anchorLimit = time.Minute

// errAnchorShared is returned for an anchor that another TakaroEndpoint needs.
var errAnchorShared = errors.New("another TakaroEndpoint has the same address")

// retire deletes a TakaroEndpoint that is not used, and its anchor. An anchor that cannot be
// deleted is left: it is found and used when an object uses the address again.
func (r *reconciler) retire(ctx context.Context, e *v1alpha1.TakaroEndpoint) error {
	if e.DeletionTimestamp == nil {
		unchanged := client.Preconditions{UID: &e.UID, ResourceVersion: &e.ResourceVersion}
		return client.IgnoreNotFound(r.Client.Delete(ctx, e, unchanged))
	}
	if !controllerutil.ContainsFinalizer(e, Finalizer) {
		return nil
	}
	if e.Status.Anchor != nil && r.identified() {
		err := r.removeAnchor(ctx, e)
		late := r.Clock.Since(e.DeletionTimestamp.Time) > anchorLimit
		switch {
		case err == nil:
			// The last status of the object shows whether the anchor remains.
			if e, err = r.update(ctx, client.ObjectKeyFromObject(e), func(e *v1alpha1.TakaroEndpoint) { e.Status.Anchor = nil }); err != nil {
				return client.IgnoreNotFound(err)
			}
		case errors.Is(err, errAnchorShared), errors.Is(err, errNoCredentials), late:
			log.FromContext(ctx).Info("The anchor stays in Takaro", "url", e.Spec.URL, "domainID", e.Status.Anchor.ID, "cause", err.Error())
		default:
			return err
		}
	}
	controllerutil.RemoveFinalizer(e, Finalizer)
	if err := r.Client.Update(ctx, e); err != nil {
		return client.IgnoreNotFound(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sights, client.ObjectKeyFromObject(e))
	return nil
}

// removeAnchor deletes the anchor if this process holds it and no other TakaroEndpoint needs it.
func (k *Keeper) removeAnchor(ctx context.Context, e *v1alpha1.TakaroEndpoint) error {
	// Read without the cache: two TakaroEndpoints that are deleted at the same time must not each
	// wait for the other because an outdated cache shows it as permanent.
	list := &v1alpha1.TakaroEndpointList{}
	if err := k.Live.List(ctx, list); err != nil {
		return fmt.Errorf("list TakaroEndpoints: %w", err)
	}
	for i := range list.Items {
		other := &list.Items[i]
		if other.DeletionTimestamp != nil && !controllerutil.ContainsFinalizer(other, Finalizer) {
			continue // the controller has released it, and other finalizers keep it
		}
		sameAnchor := other.Status.Anchor != nil && other.Status.Anchor.ID == e.Status.Anchor.ID
		if other.UID != e.UID && (sameAnchor || endpoint.SameOrigin(other.Spec.URL, e.Spec.URL)) {
			return errAnchorShared
		}
	}
	at := client.ObjectKeyFromObject(e)
	c, err := k.clientOf(at)
	if err != nil {
		return err
	}
	if err := k.confirm(ctx, at, System(e.Spec.URL)); err != nil {
		return err
	}
	k.mu.Lock()
	s := k.sightOf(at)
	k.mu.Unlock()
	s.looking.Lock()
	defer s.looking.Unlock()
	if err := c.DeleteDomain(ctx, e.Status.Anchor.ID, true); err != nil && !takaro.IsNotFound(err) {
		return fmt.Errorf("deleting the anchor: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// Without a client, no further check can create the anchor again before the object is deleted.
	s.decision, s.memory, s.found, s.client = anchor.Decision{}, anchor.Memory{}, nil, nil
	return nil
}

// clientOf returns the client of the last check of an anchor.
func (k *Keeper) clientOf(at types.NamespacedName) (*takaro.Client, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s := k.sights[at]; s != nil && s.client != nil {
		return s.client, nil
	}
	return nil, errNoCredentials
}
