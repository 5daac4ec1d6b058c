// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// markPeriod is the time between attempts to mark the domains that were left at one
	// TakaroEndpoint.
	markPeriod = time.Minute
	// maxMarks limits the domains of one attempt. anchor.RenewTimeout limits it too, because the
	// next renewal of the anchor waits for the attempt.
	maxMarks = 20
)

// RetainedReference returns the reference of a domain that outlives the object with the generated
// reference.
func RetainedReference(generated string) string {
	return validation.RetainedReferencePrefix + strings.TrimPrefix(generated, validation.GeneratedReferencePrefix)
}

// marker is the part of the Takaro client that is needed to mark domains.
type marker interface {
	GetDomain(ctx context.Context, id string) (*takaro.Domain, error)
	UpdateDomain(ctx context.Context, id string, update takaro.DomainUpdate) (*takaro.Domain, error)
}

// markLeft marks the domains in status.left whose ids are known, as the deletion of their Domains
// would have done if Takaro had responded, and removes them from status.left. The caller must have
// verified the Takaro, and c must reject changes if that is no longer valid. It is cheap to call
// often: it sends no request for a TakaroEndpoint without such domains, or sooner than markPeriod
// after the last attempt.
func (k *Keeper) markLeft(ctx context.Context, e *v1alpha1.TakaroEndpoint, c marker) error {
	at := client.ObjectKeyFromObject(e)
	ids := k.markable(at, e.Status.Left)
	if len(ids) == 0 {
		return nil
	}
	requests, cancel := context.WithTimeout(ctx, anchor.RenewTimeout)
	defer cancel()
	var done []string
	var failed error
	for _, id := range ids {
		err := mark(requests, c, id)
		failed = errors.Join(failed, err)
		if err == nil {
			done = append(done, id)
		} else if !takaro.IsConflict(err) {
			break // on a conflict, another domain may have the reference; any other error affects the remaining domains too
		}
	}
	if len(done) == 0 {
		return failed
	}
	log.FromContext(ctx).Info("Domains that were left in Takaro were marked as retained", "takaroEndpoint", at, "domainIDs", done)
	_, err := k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) {
		e.Status.Left = slices.DeleteFunc(e.Status.Left, func(l v1alpha1.LeftDomain) bool { return slices.Contains(done, l.ID) })
	})
	return errors.Join(failed, client.IgnoreNotFound(err))
}

// markable returns the ids that are due. An entry may contain the reference of a domain whose id is
// not known. It is kept, because its create may still take effect.
func (k *Keeper) markable(at types.NamespacedName, left []v1alpha1.LeftDomain) []string {
	var ids []string
	for _, l := range left {
		if !strings.HasPrefix(l.ID, validation.GeneratedReferencePrefix) && len(ids) < maxMarks {
			ids = append(ids, l.ID)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Clock.Now()
	s := k.sightOf(at)
	if len(ids) == 0 || now.Sub(s.marked) < markPeriod {
		return nil
	}
	s.marked = now
	return ids
}

// mark sets the reference by which a domain can be adopted. A domain with a reference that was not
// generated needs none, and neither does one that no longer exists.
func mark(ctx context.Context, c marker, id string) error {
	found, err := c.GetDomain(ctx, id)
	if takaro.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read domain %s, which was left in Takaro: %w", id, err)
	}
	if found.ExternalReference == nil || !strings.HasPrefix(*found.ExternalReference, validation.GeneratedReferencePrefix) {
		return nil
	}
	retained := RetainedReference(*found.ExternalReference)
	if _, err := c.UpdateDomain(ctx, id, takaro.DomainUpdate{ExternalReference: &retained}); err != nil && !takaro.IsNotFound(err) {
		return fmt.Errorf("mark domain %s, which was left in Takaro, as retained: %w", id, err)
	}
	return nil
}
