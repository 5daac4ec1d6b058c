// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/sweep"
)

var straysFound = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "roadstead_takaro_strays",
	Help: "Domains in Takaro that this installation created and that nothing in the cluster records. takaro-sweep lists them.",
}, []string{"scope"})

func init() { metrics.Registry.MustRegister(straysFound) }

// strays records which domains of each endpoint are strays: their generated reference names this
// installation, and no Domain records them. After a rollback of its database, Takaro again contains
// domains that were deleted.
type strays struct {
	mu    sync.Mutex
	found map[endpoint.Key]straysOf
}

// straysOf contains the strays in one complete list, by address and id.
type straysOf struct {
	scope   string
	taken   time.Time
	domains []string
}

// countStrays counts the strays in the complete lists of a round.
func (w *watch) countStrays(ctx context.Context, groups map[endpoint.Key]*group, _ time.Duration) {
	w.strays.mu.Lock()
	defer w.strays.mu.Unlock()
	if err := w.findStrays(ctx, groups); err != nil {
		log.FromContext(ctx).Error(err, "Searching for domains that nothing records failed; the next comparison is in a minute")
	}
	used := make(map[endpoint.Key]bool, len(groups))
	for key := range groups {
		used[key] = true
	}
	w.strays.publish(used)
}

// findStrays finds the strays in the complete lists of a round. The cluster is read after the
// lists, so that a Domain that was created in between is already recorded.
func (w *watch) findStrays(ctx context.Context, groups map[endpoint.Key]*group) error {
	endpoints, domains := &v1alpha1.TakaroEndpointList{}, &v1alpha1.DomainList{}
	if err := w.Client.List(ctx, endpoints, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list TakaroEndpoints: %w", err)
	}
	recorded, installations := sweep.NewRecorded(), sets.New(w.Keeper.Installation)
	for i := range endpoints.Items {
		recorded.AddLeft(&endpoints.Items[i])
		installations.Insert(endpoints.Items[i].Status.Installation)
	}
	if err := w.Client.List(ctx, domains, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list Domains: %w", err)
	}
	for i := range domains.Items {
		recorded.Add(&domains.Items[i])
	}
	for key, group := range groups {
		if group.list == nil {
			continue
		}
		found := straysOf{scope: hold.ScopeTenant, taken: group.list.Taken}
		if slices.ContainsFunc(group.domains, func(m member) bool { return m.Spec.CredentialsSecretRef == nil }) {
			found.scope = hold.ScopeInstallation
		}
		all := w.observer.all(group.list)
		for installation := range installations {
			for _, domain := range sweep.Orphans(all, installation, recorded) {
				found.domains = append(found.domains, group.endpoint.URL+" "+domain.ID)
			}
		}
		w.strays.put(key, found)
	}
	return nil
}

func (s *strays) put(key endpoint.Key, found straysOf) {
	if s.found == nil {
		s.found = map[endpoint.Key]straysOf{}
	}
	if !found.taken.Before(s.found[key].taken) { // a round that a slow endpoint delayed ends after the next one
		s.found[key] = found
	}
}

// publish sets the metric from the last lists of the endpoints in use. A domain that is visible
// with several credentials counts once.
func (s *strays) publish(used map[endpoint.Key]bool) {
	installation, tenant := sets.New[string](), sets.New[string]()
	for key, found := range s.found {
		switch {
		case !used[key]:
			delete(s.found, key)
		case found.scope == hold.ScopeInstallation:
			installation.Insert(found.domains...)
		default:
			tenant.Insert(found.domains...)
		}
	}
	straysFound.WithLabelValues(hold.ScopeInstallation).Set(float64(len(installation)))
	straysFound.WithLabelValues(hold.ScopeTenant).Set(float64(len(tenant.Difference(installation))))
}
