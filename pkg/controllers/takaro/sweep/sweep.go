// SPDX-License-Identifier: Apache-2.0

// Package sweep finds the domains in Takaro that an installation created and that are no longer
// referenced, for example after a cluster or its store was lost, and deletes them on request.
//
// A domain is found by its generated reference, which names the installation. That is no proof that
// the domain is unused: the cluster may be a different one, a Domain that was restored from a
// backup has a different UID, and domains are left in Takaro on purpose. Therefore a sweep deletes
// domains only if the cluster is proved to be the installation's, keeps everything that the cluster
// has recorded, and requires the number of domains that the user has confirmed.
//
// The address is no proof that this is the Takaro of the cluster either, because its database may
// have been replaced. Therefore the anchor in Takaro must be the recorded one. If the cluster is
// lost, the anchor must not be renewed by any installation. Anchors are never among the domains
// that a sweep finds.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Takaro is the part of the Takaro client that a sweep uses.
type Takaro interface {
	SearchDomains(context.Context, takaro.DomainSearch) ([]takaro.Domain, error)
	FindDomainByReference(ctx context.Context, reference string) (*takaro.Domain, error)
	DeleteDomain(ctx context.Context, id string, hard bool) error
}

// Cluster returns what the cluster has recorded about domains in Takaro, or an error if it is not
// the cluster of the installation.
type Cluster func(context.Context) (*Recorded, error)

// Sweep is one run.
type Sweep struct {
	Takaro Takaro
	// Installation is part of every reference that the installation generated. References that a
	// user specified are never swept, because they are no proof.
	Installation string
	// Cluster is nil if the cluster is lost. Then every domain of the installation is an orphan,
	// and the anchor is deleted after them.
	Cluster Cluster
	// Delete enables the deletion of the domains that are found. Otherwise they are only listed.
	Delete bool
	// Count must be the number of domains that are found, if Delete is set.
	Count int
	Out   io.Writer
	// Sleep waits for the given time. The default is a real timer.
	Sleep func(context.Context, time.Duration) error
}

// Orphans returns the domains whose generated reference names this installation and that the
// cluster has not recorded.
func Orphans(domains []takaro.Domain, installation string, recorded *Recorded) []takaro.Domain {
	prefix := validation.GeneratedReferencePrefix + installation + ":"
	var found []takaro.Domain
	for _, domain := range domains {
		if domain.ExternalReference == nil {
			continue
		}
		uid, generated := strings.CutPrefix(*domain.ExternalReference, prefix)
		if generated && uid != "" && !recorded.has(domain, uid) {
			found = append(found, domain)
		}
	}
	return found
}

// Run lists the orphans and, if Delete is set, deletes them. It reads Takaro before the cluster: a
// Domain that is created in between is then recorded, and its domain is not an orphan.
func (s Sweep) Run(ctx context.Context) error {
	domains, err := s.Takaro.SearchDomains(ctx, takaro.DomainSearch{})
	if err != nil {
		return fmt.Errorf("list domains in Takaro: %w", err)
	}
	recorded, lost, err := s.read(ctx)
	if err != nil {
		return err
	}
	orphans := Orphans(domains, s.Installation, recorded)
	if err := s.print(orphans, lost); err != nil {
		return err
	}
	switch {
	case s.Delete && s.Count != len(orphans):
		return fmt.Errorf("--count=%d differs from the %d domains above: nothing was deleted; check the list, then set --count=%d",
			s.Count, len(orphans), len(orphans))
	case len(orphans) == 0 && lost == nil:
		return nil
	case !s.Delete && len(orphans) == 0:
		_, err := fmt.Fprintln(s.Out, "\nNothing was deleted. Delete the anchor with --delete --count=0.")
		return err
	case !s.Delete:
		_, err := fmt.Fprintf(s.Out, "\nNothing was deleted. Check each domain, then delete all %d with --delete --count=%d.\n",
			len(orphans), len(orphans))
		return err
	}
	allowed := s.known(recorded)
	if s.Cluster == nil {
		if allowed, err = s.still(ctx, lost); err != nil {
			return fmt.Errorf("nothing was deleted: %w", err)
		}
	}
	return s.remove(ctx, orphans, lost, allowed)
}

// read returns what the cluster has recorded, after verifying that it knows this Takaro. If the
// cluster is lost, read returns the anchor instead, or nil if there is none.
func (s Sweep) read(ctx context.Context) (recorded *Recorded, lost *takaro.Domain, err error) {
	if s.Cluster == nil {
		lost, err = s.findAnchor(ctx)
		return nil, lost, err
	}
	recorded, err = s.Cluster(ctx)
	if err != nil {
		return nil, nil, err
	}
	return recorded, nil, s.known(recorded)(ctx)
}

// remove deletes the orphans and, after them, the anchor of a lost cluster. It checks before each
// deletion that it is still allowed.
func (s Sweep) remove(ctx context.Context, orphans []takaro.Domain, lost *takaro.Domain, allowed check) error {
	for n, orphan := range orphans {
		if err := s.removeOne(ctx, orphan.ID, allowed); err != nil {
			return errors.Join(fmt.Errorf("delete domain %s: %w", orphan.ID, err),
				fmt.Errorf("%d of %d domains were deleted; to delete the others, run the command again with --count=%d",
					n, len(orphans), len(orphans)-n))
		}
	}
	if _, err := fmt.Fprintf(s.Out, "\n%d domains were deleted.\n", len(orphans)); err != nil || lost == nil {
		return err
	}
	if err := s.removeOne(ctx, lost.ID, allowed); err != nil {
		return fmt.Errorf("delete the anchor, domain %s: %w; to delete it, run the command again with --count=0", lost.ID, err)
	}
	_, err := fmt.Fprintf(s.Out, "The anchor, domain %s, was deleted.\n", lost.ID)
	return err
}

func (s Sweep) removeOne(ctx context.Context, id string, allowed check) error {
	if err := allowed(ctx); err != nil {
		return err
	}
	if err := s.Takaro.DeleteDomain(ctx, id, true); err != nil && !takaro.IsNotFound(err) {
		return err
	}
	return nil
}

// print prints the orphans and the anchor of a lost cluster.
func (s Sweep) print(orphans []takaro.Domain, lost *takaro.Domain) error {
	if err := s.printOrphans(orphans); err != nil || lost == nil {
		return err
	}
	_, err := fmt.Fprintf(s.Out, "\nThe anchor of installation %q is domain %s (%q). It is deleted after the others, and does not count.\n",
		s.Installation, lost.ID, lost.Name)
	return err
}

func (s Sweep) printOrphans(orphans []takaro.Domain) error {
	switch {
	case len(orphans) == 0 && s.Cluster == nil:
		_, err := fmt.Fprintf(s.Out, "No domain has a reference that installation %q generated.\n", s.Installation)
		return err
	case len(orphans) == 0:
		_, err := fmt.Fprintf(s.Out, "Every domain of installation %q belongs to a Domain or was left on purpose.\n", s.Installation)
		return err
	}
	table := tabwriter.NewWriter(s.Out, 0, 0, 3, ' ', 0)
	if _, err := fmt.Fprintln(table, "DOMAIN\tNAME\tSTATE\tCREATED\tEXTERNAL REFERENCE"); err != nil {
		return err
	}
	for _, d := range orphans {
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", d.ID, d.Name, d.State, moment(d.CreatedAt), *d.ExternalReference); err != nil {
			return err
		}
	}
	return table.Flush()
}
