// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/scaffold"
)

// Reasons of events, and what the controller was doing.
const (
	eventHeld    = "MassDeletionHeld"
	eventDeleted = "OrphanDeleted"
	eventAction  = "SweepOrphans"
)

// Config is what a sweep needs to know.
type Config struct {
	// Kinds are empty lists of the namespaced kinds to sweep, typed or of metadata only. They are read from the manager's cache, so
	// one that a controller watches anyhow costs nothing more.
	Kinds []client.ObjectList
	// Namespace is the installation's; the record of the store's identity is there.
	Namespace string
	// Wait is the least time for which a namespace must have been absent, and the pause between rounds.
	Wait time.Duration
	// AllowedNamespaces is how many absent namespaces may be swept in one round beyond what is always allowed; 0: none.
	AllowedNamespaces int
}

// sweeper looks for absent namespaces, round after round. What it saw lives in memory: after a restart the wait begins
// anew.
type sweeper struct {
	policy    policy
	kinds     []client.ObjectList
	namespace string
	cached    client.Reader
	live      client.Reader
	writer    client.Client
	recorder  events.EventRecorder
	clock     clock.PassiveClock
	log       logr.Logger

	firstAbsent map[string]time.Time
}

// Setup adds the sweep to a manager. It runs only while this process leads.
func Setup(mgr ctrl.Manager, config Config) error {
	return mgr.Add(&sweeper{
		policy:    policy{wait: config.Wait, allowed: config.AllowedNamespaces},
		kinds:     config.Kinds,
		namespace: config.Namespace,
		cached:    mgr.GetCache(),
		live:      mgr.GetAPIReader(),
		writer:    mgr.GetClient(),
		recorder:  mgr.GetEventRecorder("roadstead-controller"),
		clock:     clock.RealClock{},
		log:       mgr.GetLogger().WithName("orphans"),
	})
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (s *sweeper) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. The pause comes after each round, so that two looks at a namespace are never closer.
func (s *sweeper) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, s.round, s.policy.wait)
	return nil
}

// round looks at every namespace that holds objects, and deletes those of namespaces that are gone for certain.
func (s *sweeper) round(ctx context.Context) {
	found, holding, err := s.find(ctx)
	if err != nil {
		s.log.Error(err, "Objects whose namespace is gone are not looked for in this round")
		return
	}
	v := s.policy.decide(s.firstAbsent, s.lookAt(ctx, found), holding)
	s.firstAbsent = v.firstAbsent
	tellHeld(v.held, 0)
	if v.held > 0 {
		s.tellMass(v)
		return
	}
	if len(v.due) == 0 {
		return
	}
	if err := s.checkIdentity(ctx); err != nil {
		tellHeld(0, len(v.due))
		s.log.Error(err, "Objects of absent namespaces are not deleted: it is not certain that they belong to this cluster", "namespaces", v.due)
		return
	}
	for _, namespace := range v.due {
		s.sweep(ctx, namespace, found[namespace])
	}
}

// lookAt asks the API server itself for every namespace in which something was found.
func (s *sweeper) lookAt(ctx context.Context, found map[string][]*metav1.PartialObjectMetadata) map[string]look {
	looks, failed, last := map[string]look{}, 0, error(nil)
	for namespace := range found {
		one, err := s.look(ctx, namespace)
		if err != nil {
			failed, last = failed+1, err
		}
		looks[namespace] = one
	}
	if failed > 0 && ctx.Err() == nil {
		s.log.Error(last, "Some namespaces could not be looked at; nothing follows from that", "failed", failed, "of", len(found))
	}
	return looks
}

// look asks the API server itself for a namespace.
func (s *sweeper) look(ctx context.Context, namespace string) (look, error) {
	gone, err := scaffold.NamespaceAbsent(ctx, s.live, namespace)
	at := s.clock.Now()
	switch {
	case err != nil:
		return look{unknown, at}, err
	case gone:
		return look{absent, at}, nil
	default:
		return look{alive, at}, nil
	}
}

// tellMass says that so many namespaces vanished that a mistake is more likely, and how to go on.
func (s *sweeper) tellMass(v verdict) {
	const format = "%d namespaces that hold objects of Roadstead are absent, and at most %d may vanish at once: nothing is deleted. " +
		"If they are gone for good, restart the controller with --allow-mass-sweep=%d for once; if not, look which cluster it is connected to"
	s.recorder.Eventf(s.recordReference(), nil, corev1.EventTypeWarning, eventHeld, eventAction, format, v.held, v.limit, v.held)
	s.log.Error(nil, "Objects of absent namespaces are not deleted: too many vanished at once. If they are gone for good, restart with --allow-mass-sweep",
		"absent", v.held, "limit", v.limit)
}

// sweep deletes the objects of one absent namespace, as a person would: their controllers clean up outside.
func (s *sweeper) sweep(ctx context.Context, namespace string, objects []*metav1.PartialObjectMetadata) {
	// Between the looks and now others were deleted, and the namespace may have come back.
	if last, err := s.look(ctx, namespace); err != nil || last.presence != absent {
		return
	}
	for _, object := range objects {
		kind := object.Kind
		err := s.writer.Delete(ctx, object, client.Preconditions{UID: &object.UID})
		if client.IgnoreNotFound(err) != nil {
			s.log.Error(err, "An object whose namespace is gone could not be deleted; trying again in the next round", "kind", kind, "namespace", namespace, "name", object.Name)
			continue
		}
		if err != nil {
			continue // it went by itself
		}
		deleted.WithLabelValues(kind).Inc()
		s.log.Info("Deleted an object whose namespace is gone", "kind", kind, "namespace", namespace, "name", object.Name)
		s.recorder.Eventf(s.recordReference(), object, corev1.EventTypeNormal, eventDeleted, eventAction,
			"%s %s/%s was deleted: its namespace is gone", kind, namespace, object.Name)
	}
}
