// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// DeletionHold returns the command that releases the deletion of the Domain, or "" if the deletion
// is not held. It needs no credentials. It must be called before a Domain or its dependents are
// deleted in Takaro, because it records each deletion before it is allowed.
func (k *Keeper) DeletionHold(ctx context.Context, domain *v1alpha1.Domain) (command string, err error) {
	// Tenants' own credentials have a TakaroEndpoint in their namespace, and a single namespace is
	// never held.
	if k.Client == nil || domain.DeletionTimestamp == nil || domain.Spec.CredentialsSecretRef != nil && domain.Namespace != k.Namespace {
		return "", nil
	}
	list := &v1alpha1.TakaroEndpointList{}
	if err := k.Client.List(ctx, list, client.InNamespace(k.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return "", fmt.Errorf("list TakaroEndpoints: %w", err)
	}
	var found *v1alpha1.TakaroEndpoint
	own, _ := takaro.NormalizeURL(domain.Spec.TakaroAPIURL)
	for i := range list.Items {
		// There are several after the path in the installation's Secret was changed.
		e := &list.Items[i]
		if userOf(domain).uses(e, k.Namespace) && (found == nil || e.Spec.URL == own) {
			found = e
		}
	}
	if found == nil {
		return "", nil
	}
	return k.deletionHoldAt(ctx, domain, found)
}

// deletionHoldAt is DeletionHold for one TakaroEndpoint.
func (k *Keeper) deletionHoldAt(ctx context.Context, domain *v1alpha1.Domain, e *v1alpha1.TakaroEndpoint) (command string, err error) {
	at := client.ObjectKeyFromObject(e)
	if _, counts := deletionOf(domain); counts && !k.deletionsRead(at) {
		used, err := k.usage(ctx, e)
		if err != nil {
			return "", err
		}
		k.noteUsage(e, used)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.endpoints[at]
	if known == nil {
		return "", nil
	}
	known.deletions.prune(k.Clock.Now())
	if known.deletions.note(domain) {
		known.rejudge(deletionKind)
		k.publish()
	}
	v := known.verdicts[v1alpha1.HoldDeletion]
	if _, counts := deletionOf(domain); !counts || !v.holds(domain.Namespace) {
		return "", nil
	}
	return releaseCommand(at, v.token), nil
}

// deletionsRead reports whether the deletions at a TakaroEndpoint have been read.
func (k *Keeper) deletionsRead(at types.NamespacedName) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.endpoints[at]
	return known != nil && known.deletions.read
}

// noteUsage records which Domains use the TakaroEndpoint and are being deleted, and judges these
// deletions. On the first call of a process it restores the stored hold: deletions that were held,
// or were requested since, are held.
func (k *Keeper) noteUsage(e *v1alpha1.TakaroEndpoint, used usage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.recordAt(client.ObjectKeyFromObject(e))
	d := &known.deletions
	d.prune(k.Clock.Now())
	d.namespaces = used.namespaces
	for _, domain := range used.deleted {
		d.note(domain)
	}
	if !d.read {
		d.read = true
		stored := holdIn(&e.Status, v1alpha1.HoldDeletion)
		v := verdict{released: stored.Released}
		if stored.Held > 0 {
			v.held = ownership.Unreleased(d.pending(), stored.Released)
		}
		known.verdicts[v1alpha1.HoldDeletion] = v
	}
	known.rejudge(deletionKind)
	if used.servers == 0 {
		known.verdicts[v1alpha1.HoldRestarts] = verdict{}
	}
	k.publish()
}
