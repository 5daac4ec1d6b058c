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
	// settledAge is the minimum age of a record for a deletion to count. Domains that a test
	// creates and deletes are younger.
	settledAge = 24 * time.Hour
)

// deletions records the deletions of Domains at one TakaroEndpoint.
type deletions struct {
	// read is set if all Domains and the stored hold have been read.
	read bool
	// namespaces contains the namespaces with Domains.
	namespaces sets.Set[string]
	of         map[types.NamespacedName]deleted
}

// deleted is a Domain whose deletion counts.
type deleted struct {
	uid types.UID
	// at is when the deletion was requested.
	at time.Time
	// done is set if the Domain no longer exists, confirmed if the deletion was released before.
	done, confirmed bool
}

// deletionOf returns the deletion of a Domain, if it counts: it deletes a domain in Takaro that the
// Domain had owned for a day when the deletion was requested.
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

// note records the deletion of a Domain, or that it does not count, and reports whether that is
// new. An outdated Domain whose deletion has already ended is ignored.
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

// end records that a Domain no longer exists, and reports whether its deletion was recorded.
func (d *deletions) end(name types.NamespacedName, v verdict) bool {
	known, noted := d.of[name]
	if !noted || known.done {
		return false
	}
	known.done, known.confirmed = true, slices.Contains(v.released, name.Namespace)
	d.of[name] = known
	return true
}

// prune removes deletions that are too old to count together with new ones, with a margin for
// deletions that this process observes late.
func (d *deletions) prune(now time.Time) {
	for name, known := range d.of {
		if known.done && now.Sub(known.at) > 2*deletionWindow {
			delete(d.of, name)
		}
	}
}

// pending returns the sorted namespaces with Domains that are being deleted.
func (d *deletions) pending() []string {
	names := sets.New[string]()
	for name, known := range d.of {
		if !known.done {
			names.Insert(name.Namespace)
		}
	}
	return sets.List(names)
}

// judgeDeletions judges the namespaces in which Domains are deleted. Held deletions stay held until
// they are released; they do not expire. Deletions that were completed without a hold count too.
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
