// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// Compare records a complete list of the domains at the endpoint of the Domains, which was started
// at the given time. owned contains all Domains of that endpoint with a Held id. listed reports
// whether the list contains an id. Missing domains are judged together: see v1alpha1.HoldVanished.
func (k *Keeper) Compare(
	ctx context.Context, resolved endpoint.Resolved, taken time.Time, owned map[types.NamespacedName]string, listed func(id string) bool,
) {
	k.writing.Lock()
	defer k.writing.Unlock()
	placed := k.placed(ctx, resolved, owned)
	seen := list{group: endpoint.KeyOf(resolved.Endpoint), taken: taken, owned: owned, listed: listed}
	for _, at := range k.see(seen, placed, k.released(ctx, placed)) {
		if err := k.report(ctx, at); err != nil {
			// The judgement is valid without the status update, and the next list repeats the
			// update.
			log.FromContext(ctx).Error(err, "Report what is held at a TakaroEndpoint", "takaroEndpoint", at)
		}
	}
}

// places maps Domains to their TakaroEndpoints.
type places map[types.NamespacedName]types.NamespacedName

// placed returns the TakaroEndpoint of each Domain that still exists.
func (k *Keeper) placed(ctx context.Context, resolved endpoint.Resolved, owned map[types.NamespacedName]string) places {
	placed := make(places, len(owned))
	k.mu.Lock()
	for name := range owned {
		if at, known := k.places[name]; known {
			placed[name] = at
		}
	}
	k.mu.Unlock()
	for name := range owned {
		if _, known := placed[name]; known {
			continue
		}
		domain := &v1alpha1.Domain{}
		if k.Client != nil {
			if err := k.Client.Get(ctx, name, domain); err != nil {
				continue
			}
		}
		placed[name] = k.placeOf(domain, resolved.URL)
	}
	// A list from another Takaro, or from another database, is no evidence.
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(placed, func(_, at types.NamespacedName) bool { return !k.verified(at) })
	return placed
}

// released returns the stored releases of the TakaroEndpoints whose releases were not read yet.
// Names that cannot be read count as not released.
func (k *Keeper) released(ctx context.Context, placed places) map[types.NamespacedName][]string {
	found := map[types.NamespacedName][]string{}
	for _, at := range placed {
		k.mu.Lock()
		known := k.endpoints[at]
		loaded := known != nil && known.loaded
		k.mu.Unlock()
		if _, read := found[at]; loaded || read || k.Client == nil {
			continue
		}
		stored := &v1alpha1.TakaroEndpoint{}
		if err := k.Client.Get(ctx, at, stored); err == nil {
			found[at] = holdIn(&stored.Status, v1alpha1.HoldVanished).Released
		}
	}
	return found
}

// list is one complete list, with the arguments of Compare.
type list struct {
	group  endpoint.Key
	taken  time.Time
	owned  map[types.NamespacedName]string
	listed func(id string) bool
}

// see records a list and judges it in one step, so that missing domains are not visible before the
// judgement. It returns the TakaroEndpoints that were judged.
func (k *Keeper) see(seen list, placed places, released map[types.NamespacedName][]string) []types.NamespacedName {
	k.mu.Lock()
	defer k.mu.Unlock()
	judged := map[types.NamespacedName]bool{}
	for name, at := range placed {
		k.note(name, at, seen)
		judged[at] = true
	}
	for at := range judged {
		// Namespaces with the same token share the lists of one group, and each causes a call.
		for name, domain := range k.endpoints[at].domains {
			if _, still := seen.owned[name]; domain.group == seen.group && !still {
				k.drop(name)
			}
		}
	}
	var changed []types.NamespacedName
	for at := range judged {
		changed = append(changed, at)
		if known := k.endpoints[at]; known != nil {
			if stored, read := released[at]; read && !known.loaded {
				known.verdicts[v1alpha1.HoldVanished], known.loaded = verdict{released: stored}, true
			}
			known.rejudge(vanishedKind)
		}
	}
	k.publish()
	return changed
}

// note records which domain the Domain holds, where, and whether the list contained it. Earlier
// observations of another id are dropped.
func (k *Keeper) note(name, at types.NamespacedName, seen list) {
	k.move(name, at)
	known := k.recordAt(at)
	domain := known.domains[name]
	if domain == nil || domain.id != seen.owned[name] {
		k.gone.Present(name)
		domain = &owned{id: seen.owned[name]}
		known.domains[name] = domain
	}
	domain.group = seen.group
	if seen.listed(domain.id) {
		k.gone.Present(name)
		domain.due = false
		return
	}
	since := k.gone.Missing(name, seen.taken)
	domain.due = domain.due || seen.taken.Sub(since) >= ownership.VanishedWindow
}

// move records the TakaroEndpoint of a Domain, and removes observations at a previous one.
func (k *Keeper) move(name, at types.NamespacedName) {
	if before, known := k.places[name]; known && before != at {
		k.drop(name)
	}
	k.places[name] = at
}

// drop removes the observations of a Domain, and judges the others without it.
func (k *Keeper) drop(name types.NamespacedName) {
	k.gone.Present(name)
	at := k.places[name]
	known := k.endpoints[at]
	if known == nil || known.domains[name] == nil {
		return
	}
	delete(known.domains, name)
	known.rejudge(vanishedKind)
	if len(known.domains) == 0 {
		delete(known.verdicts, v1alpha1.HoldVanished)
		known.loaded = false
	}
	k.publish()
}
