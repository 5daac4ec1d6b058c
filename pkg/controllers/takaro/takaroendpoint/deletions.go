// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// deletionShare is the percentage of the namespaces whose Domains may be deleted within
	// deletionWindow without a hold.
	deletionShare  = 10
	deletionWindow = 10 * time.Minute
	// settledAge is the age of a record from which on a deletion counts. What a test creates and
	// deletes is younger.
	settledAge = 24 * time.Hour
)

// deletions is what is known of the deletions of Domains at one TakaroEndpoint.
type deletions struct {
	// read reports that all Domains and the stored hold were read once.
	read bool
	// namespaces are those with Domains.
	namespaces sets.Set[string]
	of         map[types.NamespacedName]deleted
}

// deleted is a Domain whose deletion counts.
type deleted struct {
	uid types.UID
	// at is when the deletion was requested.
	at time.Time
	// done reports that the Domain no longer exists, confirmed that it was released before.
	done, confirmed bool
}

// deletionOf returns the deletion of a Domain, if it counts: it destroys a domain in Takaro that the
// Domain had owned for a day when it was deleted.
func deletionOf(domain *v1alpha1.Domain) (deleted, bool) {
	if domain.DeletionTimestamp == nil || domain.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain || domain.Status.Ownership == nil {
		return deleted{}, false
	}
	at := domain.DeletionTimestamp.Time
	for _, r := range domain.Status.Ownership.Records {
		if r.State == ownership.Held && r.ID != "" && r.Origin != ownership.Found && at.Sub(r.Since.Time) >= settledAge {
			return deleted{uid: domain.UID, at: at}, true
		}
	}
	return deleted{}, false
}

// note notes the deletion of a Domain, or that it does not count, and reports whether that is new. A
// Domain that was read before it ended does not begin anew.
func (d *deletions) note(domain *v1alpha1.Domain) bool {
	name := client.ObjectKeyFromObject(domain)
	known, noted := d.of[name]
	deletion, counts := deletionOf(domain)
	switch {
	case counts && (!noted || known.uid != deletion.uid):
		d.of[name] = deletion
		return true
	case !counts && noted && !known.done && known.uid == domain.UID:
		delete(d.of, name)
		return true
	}
	return false
}

// end notes that a Domain no longer exists, and reports whether its deletion was noted.
func (d *deletions) end(name types.NamespacedName, v verdict) bool {
	known, noted := d.of[name]
	if !noted || known.done {
		return false
	}
	known.done, known.confirmed = true, slices.Contains(v.released, name.Namespace)
	d.of[name] = known
	return true
}

// prune forgets what was done so long ago that nothing counts together with it, with a margin for
// deletions of which this process learns late.
func (d *deletions) prune(now time.Time) {
	for name, known := range d.of {
		if known.done && now.Sub(known.at) > 2*deletionWindow {
			delete(d.of, name)
		}
	}
}

// pending returns the namespaces with Domains that are being deleted, sorted.
func (d *deletions) pending() []string {
	names := sets.New[string]()
	for name, known := range d.of {
		if !known.done {
			names.Insert(name.Namespace)
		}
	}
	return sets.List(names)
}

// judgeDeletions judges the namespaces in which Domains are deleted. What was held stays held until
// it is released: time confirms nothing. What was deleted without a hold counts, too.
func judgeDeletions(r *record, released []string) verdict {
	d := &r.deletions
	v := verdict{affected: d.pending()}
	v.released = slices.DeleteFunc(slices.Clone(released), func(name string) bool { return !slices.Contains(v.affected, name) })
	all := sets.New(d.namespaces.UnsortedList()...)
	var counted []ownership.Dated
	for name, known := range d.of {
		all.Insert(name.Namespace)
		if !known.confirmed {
			counted = append(counted, ownership.Dated{Name: name.Namespace, At: known.at})
		}
	}
	within := sets.New(ownership.HeldWithin(counted, deletionWindow, len(all), deletionShare, v.released)...)
	before := r.verdicts[v1alpha1.HoldDeletion]
	for _, name := range ownership.Unreleased(v.affected, v.released) {
		if within.Has(name) || before.holds(name) {
			v.held = append(v.held, name)
		}
	}
	v.token = ownership.Token(v.held)
	return v
}
