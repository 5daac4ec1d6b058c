// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/hold"
)

// maxPause is the maximum time between two rounds, and so until a release takes effect.
const maxPause = 15 * time.Second

// Config contains the dependencies of a sweep.
type Config struct {
	// Kinds are empty lists of the namespaced kinds to sweep, typed or with metadata only. They are
	// read from the manager's cache, so a kind that a controller watches anyway causes no
	// additional cost.
	Kinds []client.ObjectList
	// Namespaces contains the observations of namespaces.
	Namespaces *Namespaces
	// Namespace is the namespace of the installation, which contains the record of the store's
	// identity.
	Namespace string
	// Wait is the minimum time for which a namespace must have been absent.
	Wait time.Duration
}

// sweeper searches for absent namespaces in rounds. Its observations are kept in memory only: after
// a restart the wait starts again, and namespaces that were deleted before are held.
type sweeper struct {
	wait       time.Duration
	kinds      []client.ObjectList
	namespace  string
	namespaces *Namespaces
	cached     client.Reader
	informers  cache.Informers
	writer     client.Client
	recorder   events.EventRecorder
	clock      clock.PassiveClock
	log        logr.Logger

	firstAbsent map[string]time.Time
	// clean is set if the record is known to have no hold.
	clean bool
	// announced is the token that was last announced, announcedAt the time of the announcement.
	announced   string
	announcedAt time.Time
}

// Setup adds the sweep to a manager. It runs only on the leader.
func Setup(mgr ctrl.Manager, config Config) error {
	return mgr.Add(&sweeper{
		wait:       config.Wait,
		kinds:      config.Kinds,
		namespace:  config.Namespace,
		namespaces: config.Namespaces,
		cached:     mgr.GetCache(),
		informers:  mgr.GetCache(),
		writer:     mgr.GetClient(),
		recorder:   mgr.GetEventRecorder("roadstead-controller"),
		clock:      clock.RealClock{},
		log:        mgr.GetLogger().WithName("orphans"),
	})
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (s *sweeper) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. From here on, the metadata of namespaces is watched.
func (s *sweeper) Start(ctx context.Context) error {
	informer, err := s.informers.GetInformer(ctx, namespaceMetadata())
	if err == nil {
		_, err = informer.AddEventHandler(s.namespaces)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch namespaces: %w", err)
	}
	s.log.Info("Watching namespaces")
	wait.UntilWithContext(ctx, s.round, min(s.wait, maxPause))
	return nil
}

func namespaceMetadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return object
}

// round reads every namespace that contains objects, and deletes the objects of namespaces that
// were certainly deleted.
func (s *sweeper) round(ctx context.Context) {
	found, err := s.find(ctx)
	if err != nil {
		s.log.Error(err, "Objects whose namespace no longer exists are not looked for in this round")
		return
	}
	s.namespaces.forget(found)
	v := decide(s.wait, s.firstAbsent, s.lookAt(ctx, found))
	s.firstAbsent = v.firstAbsent
	if s.clean && len(v.deleted)+len(v.notAlive) == 0 {
		setHeld(0, 0)
		return
	}
	record, err := s.record(ctx)
	if err != nil {
		if n := len(v.deleted) + len(v.unseen); n > 0 {
			setHeld(0, n)
			s.log.Error(err, "Objects of absent namespaces are not deleted: it is not certain that they belong to this cluster",
				"namespaces", append(v.deleted, v.unseen...))
		}
		return
	}
	release := record.Annotations[hold.ReleaseAnnotation]
	next, released := judge(holdOf(record), v, release)
	all, byHand := due(v, next)
	setHeld(int(next.Held), 0)
	if err := s.writeHold(ctx, record, encode(next)); err != nil {
		s.log.Error(err, "What is held cannot be stored; nothing is released in this round")
		all = v.deleted
	} else {
		s.clean = encode(next) == ""
		s.namespaces.release(byHand)
		s.announce(next, release, released)
	}
	for _, namespace := range all {
		s.sweep(ctx, namespace, found[namespace])
	}
}

// lookAt reads every namespace in which objects were found: from the cache, and those that are
// missing there from the API server.
func (s *sweeper) lookAt(ctx context.Context, found map[string][]*metav1.PartialObjectMetadata) map[string]look {
	looks, failed, last := map[string]look{}, 0, error(nil)
	for namespace := range found {
		if s.cached.Get(ctx, client.ObjectKey{Name: namespace}, namespaceMetadata()) == nil {
			looks[namespace] = look{presence: alive, at: s.clock.Now()}
			continue
		}
		gone, err := s.namespaces.absent(ctx, namespace)
		one := look{presence: alive, at: s.clock.Now(), deleted: s.namespaces.saw(namespace)}
		switch {
		case err != nil:
			one.presence, failed, last = unknown, failed+1, err
		case gone:
			one.presence = absent
		}
		looks[namespace] = one
	}
	if failed > 0 && ctx.Err() == nil {
		s.log.Error(last, "Some namespaces could not be read; nothing follows from that", "failed", failed, "of", len(found))
	}
	return looks
}

// sweep deletes the objects of one absent namespace, as a user would: their controllers clean up
// outside objects.
func (s *sweeper) sweep(ctx context.Context, namespace string, objects []*metav1.PartialObjectMetadata) {
	// Other objects were deleted since the last read, and the namespace may exist again.
	if ended, err := s.namespaces.Ended(ctx, namespace); err != nil || !ended {
		return
	}
	for _, object := range objects {
		kind := object.Kind
		err := s.writer.Delete(ctx, object, client.Preconditions{UID: &object.UID})
		if client.IgnoreNotFound(err) != nil {
			s.log.Error(err, "An object whose namespace no longer exists could not be deleted; trying again in the next round",
				"kind", kind, "namespace", namespace, "name", object.Name)
			continue
		}
		if err != nil {
			continue // it was deleted in the meantime
		}
		deleted.WithLabelValues(kind).Inc()
		s.log.Info("Deleted an object whose namespace no longer exists", "kind", kind, "namespace", namespace, "name", object.Name)
		s.recorder.Eventf(s.recordReference(), object, corev1.EventTypeNormal, eventDeleted, eventAction,
			"%s %s/%s was deleted: its namespace no longer exists.", kind, namespace, object.Name)
	}
}
