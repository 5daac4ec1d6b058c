// SPDX-License-Identifier: Apache-2.0

// Package sweep finds the Takaro domains of an installation that have no Domain any more, for example after a cluster or
// its store was lost, and removes them on request.
package sweep

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/takaro"
)

// Takaro is what a sweep asks and does there.
type Takaro interface {
	SearchDomains(context.Context, takaro.DomainSearch) ([]takaro.Domain, error)
	DeleteDomain(ctx context.Context, id string, hard bool) error
}

// Living returns the UIDs of all Domains that exist.
type Living func(context.Context) (map[types.UID]bool, error)

// Sweep is one run.
type Sweep struct {
	Takaro Takaro
	// Installation is part of every reference that the installation generated. Typed references are never swept: nothing
	// tells that they are ours.
	Installation string
	Living       Living
	// Delete removes what is found, for good; otherwise it is only listed.
	Delete bool
	Out    io.Writer
}

// Orphans returns the domains whose generated reference names this installation and an object that does not live.
func Orphans(domains []takaro.Domain, installation string, living map[types.UID]bool) []takaro.Domain {
	prefix := "roadstead:" + installation + ":"
	var found []takaro.Domain
	for _, domain := range domains {
		if domain.ExternalReference == nil {
			continue
		}
		uid, ours := strings.CutPrefix(*domain.ExternalReference, prefix)
		if ours && uid != "" && !living[types.UID(uid)] {
			found = append(found, domain)
		}
	}
	return found
}

// Run lists the orphans and, if asked to, removes them. Takaro is read first: a Domain that is made in between is then
// among the living, and its domain not among the orphans.
func (s Sweep) Run(ctx context.Context) error {
	domains, err := s.Takaro.SearchDomains(ctx, takaro.DomainSearch{})
	if err != nil {
		return fmt.Errorf("listing domains in Takaro: %w", err)
	}
	living, err := s.Living(ctx)
	if err != nil {
		return fmt.Errorf("listing Domains in the cluster: %w", err)
	}
	orphans := Orphans(domains, s.Installation, living)
	if len(orphans) == 0 {
		_, err := fmt.Fprintf(s.Out, "No domain of installation %q is without its Domain.\n", s.Installation)
		return err
	}
	if err := s.print(orphans); err != nil {
		return err
	}
	if !s.Delete {
		_, err := fmt.Fprintf(s.Out, "\n%d domains are without their Domain. Remove them with --delete.\n", len(orphans))
		return err
	}
	for _, orphan := range orphans {
		if err := s.Takaro.DeleteDomain(ctx, orphan.ID, true); err != nil && !takaro.IsNotFound(err) {
			return fmt.Errorf("deleting domain %s: %w; run it again for the rest", orphan.ID, err)
		}
	}
	_, err = fmt.Fprintf(s.Out, "\n%d domains were removed.\n", len(orphans))
	return err
}

func (s Sweep) print(orphans []takaro.Domain) error {
	table := tabwriter.NewWriter(s.Out, 0, 0, 3, ' ', 0)
	if _, err := fmt.Fprintln(table, "DOMAIN\tNAME\tSTATE\tCREATED\tEXTERNAL REFERENCE"); err != nil {
		return err
	}
	for _, d := range orphans {
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", d.ID, d.Name, d.State, d.CreatedAt.UTC().Format(time.RFC3339), *d.ExternalReference); err != nil {
			return err
		}
	}
	return table.Flush()
}
