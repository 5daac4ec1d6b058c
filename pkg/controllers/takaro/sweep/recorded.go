// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// pageSize is the number of objects per page.
const pageSize = 500

// Recorded contains what a cluster has recorded about domains in Takaro. A nil Recorded contains
// nothing.
type Recorded struct {
	installation, address string
	// endpoints are the TakaroEndpoints of the installation and the address.
	endpoints []v1alpha1.TakaroEndpoint
	// uids contains the UIDs of all Domains. ids and references contain those of their domains and
	// of domains that were left in Takaro.
	uids, ids, references map[string]bool
}

// has reports whether the domain, whose generated reference ends with the UID, is recorded.
func (r *Recorded) has(domain takaro.Domain, uid string) bool {
	return r != nil && (r.uids[uid] || r.ids[domain.ID] || r.references[*domain.ExternalReference])
}

// In returns a Cluster that reads what the cluster has recorded. It returns an error if the cluster
// is not that of the installation, or does not use the Takaro at the normalized address.
func In(cluster client.Reader, installation, address string) Cluster {
	return func(ctx context.Context) (*Recorded, error) {
		r := NewRecorded()
		r.installation, r.address = installation, address
		var seen []string
		err := pages(ctx, cluster, &v1alpha1.TakaroEndpointList{}, func(list *v1alpha1.TakaroEndpointList) {
			for i := range list.Items {
				e := &list.Items[i]
				if e.Status.Installation == installation && e.Spec.URL == address {
					r.endpoints = append(r.endpoints, *e)
				}
				seen = append(seen, fmt.Sprintf("%q at %s", e.Status.Installation, e.Spec.URL))
				r.AddLeft(e)
			}
		})
		if err != nil {
			return nil, fmt.Errorf("list TakaroEndpoints in the cluster: %w", err)
		}
		if len(r.endpoints) == 0 {
			return nil, refusal(installation, address, seen)
		}
		err = pages(ctx, cluster, &v1alpha1.DomainList{}, func(list *v1alpha1.DomainList) {
			for i := range list.Items {
				r.Add(&list.Items[i])
			}
		})
		if err != nil {
			return nil, fmt.Errorf("list Domains in the cluster: %w", err)
		}
		return r, nil
	}
}

// NewRecorded returns an empty Recorded.
func NewRecorded() *Recorded {
	return &Recorded{uids: map[string]bool{}, ids: map[string]bool{}, references: map[string]bool{}}
}

// AddLeft records the domains that were left in Takaro.
func (r *Recorded) AddLeft(e *v1alpha1.TakaroEndpoint) {
	for _, left := range e.Status.Left {
		r.ids[left.ID], r.references[left.ID] = true, true
	}
}

// Add records a Domain. The id and reference in its status count too, because an earlier release
// stored no ledger.
func (r *Recorded) Add(domain *v1alpha1.Domain) {
	r.uids[string(domain.UID)] = true
	r.ids[domain.Status.DomainID] = true
	r.references[domain.Status.ExternalReferenceID] = true
	if domain.Status.Ownership == nil {
		return
	}
	for _, record := range domain.Status.Ownership.Records {
		r.ids[record.ID], r.references[record.Key] = true, true
	}
}

func refusal(installation, address string, seen []string) error {
	known := "it has no TakaroEndpoint"
	if len(seen) > 0 {
		slices.Sort(seen)
		known = "its TakaroEndpoints are of installation " + strings.Join(slices.Compact(seen), ", ")
	}
	return fmt.Errorf("the cluster does not prove to be that of installation %q with the Takaro at %s: %s. "+
		"Check --installation, --endpoint and --kubeconfig. If the cluster of the installation no longer exists or has no Domains, "+
		"use --cluster-is-lost instead of --kubeconfig", installation, address, known)
}

// pages lists objects page by page.
func pages[L client.ObjectList](ctx context.Context, cluster client.Reader, empty L, each func(L)) error {
	for next := ""; ; {
		list := empty.DeepCopyObject().(L)
		if err := cluster.List(ctx, list, client.Limit(pageSize), client.Continue(next)); err != nil {
			return err
		}
		each(list)
		if next = list.GetContinue(); next == "" {
			return nil
		}
	}
}
