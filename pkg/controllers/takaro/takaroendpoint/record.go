// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// vanishedShare is the percentage of the owned domains that may be missing without a hold.
const vanishedShare = 10

// record is the in-memory state of one TakaroEndpoint, with its judgements.
type record struct {
	// missing returns since when the domain of a Domain has been missing in the lists.
	missing func(types.NamespacedName) time.Time
	// domains is the result of the lists.
	domains map[types.NamespacedName]*owned
	// loaded is set if the released names of the hold Vanished were read from the stored object.
	loaded bool
	// deletions records the deletions of Domains. restarts contains the pods that are not
	// restarted, by endpoint.
	deletions deletions
	restarts  map[endpoint.Key][]string
	// verdicts contains the holds that this process has judged.
	verdicts map[v1alpha1.HoldType]verdict
}

// recordAt returns the record of a TakaroEndpoint. The caller must hold mu.
func (k *Keeper) recordAt(at types.NamespacedName) *record {
	if k.endpoints[at] == nil {
		k.endpoints[at] = &record{
			missing: k.gone.Since, domains: map[types.NamespacedName]*owned{}, restarts: map[endpoint.Key][]string{},
			deletions: deletions{of: map[types.NamespacedName]deleted{}}, verdicts: map[v1alpha1.HoldType]verdict{},
		}
	}
	return k.endpoints[at]
}

// verdictsAt returns what this process has judged at a TakaroEndpoint.
func (k *Keeper) verdictsAt(at types.NamespacedName) map[v1alpha1.HoldType]verdict {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known := k.endpoints[at]; known != nil {
		return maps.Clone(known.verdicts)
	}
	return nil
}

// rejudge judges one hold again.
func (r *record) rejudge(kind holdKind) {
	r.verdicts[kind.name] = kind.judge(r, r.verdicts[kind.name].released)
}

// owned is a domain that a Domain holds.
type owned struct {
	id string
	// group is the endpoint whose lists contain it. Several credentials of a namespace share a
	// TakaroEndpoint.
	group endpoint.Key
	// due is set if it was missing in two lists that were VanishedWindow apart.
	due bool
}

// due reports whether the domain that the Domain currently holds is due.
func (r *record) due(name types.NamespacedName, domain *v1alpha1.Domain) bool {
	found := r.domains[name]
	return found != nil && found.due && slices.Contains(heldIDs(domain), found.id)
}

// judgeVanished judges the missing domains. A name stays released until its domain exists.
func judgeVanished(r *record, released []string) verdict {
	v := verdict{}
	present := map[string]bool{}
	for name, domain := range r.domains {
		switch {
		case domain.due:
			v.affected = append(v.affected, name.String())
		case r.missing(name).IsZero():
			present[name.String()] = true
		default:
			v.pending = true
		}
	}
	v.released = slices.DeleteFunc(slices.Clone(released), func(name string) bool { return present[name] })
	v.held, v.token = ownership.Judge(v.affected, len(r.domains), vanishedShare, v.released)
	return v
}

// heldIDs returns the ids of the domains that the Domain owns.
func heldIDs(domain *v1alpha1.Domain) []string {
	if domain.Status.Ownership == nil {
		return nil
	}
	var ids []string
	for _, r := range domain.Status.Ownership.Records {
		if r.State == ownership.Held && r.ID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
