// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/takaro"
)

// remainsGrace is how long the outcome of a create that was interrupted is awaited: domains that look like its remains are
// left alone (another controller that also thinks it leads may be about to store their password, and Takaro takes up to
// 5 s to make one), and absence is not believed (a request that was sent may still arrive).
const remainsGrace = 10 * time.Second

// remains remembers since when an interrupted create has looked the way it does.
type remains struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	seen map[types.UID]sighting
}

type sighting struct {
	id    string
	since time.Time
}

func newRemains(clock clock.PassiveClock) *remains {
	return &remains{clock: clock, seen: map[types.UID]sighting{}}
}

// age returns for how long the domain id has been seen as the remains of owner; "" is none.
func (r *remains) age(owner types.UID, id string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.seen[owner]; ok && last.id == id {
		return r.clock.Since(last.since)
	}
	r.seen[owner] = sighting{id: id, since: r.clock.Now()}
	return 0
}

func (r *remains) forget(owner types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, owner)
}

// remake removes what an interrupted create left and makes the domain anew. It concerns only domains with a generated
// reference that were never Ready and whose root password is nowhere: nobody can have used them.
func (r *reconciler) remake(ctx context.Context, a *attempt, record *takaro.Domain) (*takaro.Domain, *problem) {
	if age := r.remains.age(a.domain.UID, record.ID); age < remainsGrace {
		return nil, &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonInterruptedCreate, wait: remainsGrace - age,
			message: fmt.Sprintf("Takaro domain %s is what an interrupted create left, without its root password; it is removed and made again in a moment", record.ID)}
	}
	// What was decided on may be outdated by another controller: ask past all caches.
	current := &v1alpha1.Domain{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(a.domain), current); err != nil {
		return nil, classify("reading the object again", err)
	}
	if current.UID != a.domain.UID || current.Status.DomainID != "" {
		return nil, classify("reading the object again", errOutdated)
	}
	key := client.ObjectKey{Namespace: a.domain.Namespace, Name: rootSecretName(a.domain)}
	if _, err := r.secrets.GetLive(ctx, key); client.IgnoreNotFound(err) != nil {
		return nil, classify("looking for the root credentials", err)
	}
	stored, err := r.rootStored(ctx, a.domain, record.ID)
	if err != nil {
		return nil, classify("looking for the root credentials", err)
	}
	if stored {
		return nil, classify("looking for the root credentials", errOutdated)
	}
	if err := a.client.DeleteDomain(ctx, record.ID, true); err != nil && !takaro.IsNotFound(err) {
		return nil, r.judge(a, "removing what an interrupted create left", err)
	}
	r.remains.forget(a.domain.UID)
	domainsDeleted.Inc()
	r.observer.remove(a.key, record.ID)
	r.warn(a, eventRemainsRemoved, "Takaro domain %s was left by an interrupted create without its root password; it was removed", record.ID)
	return r.create(ctx, a, false)
}
