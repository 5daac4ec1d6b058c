// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// memory is how long the deletion of a namespace without objects is remembered. A create that raced
// with the deletion takes effect within seconds.
const memory = time.Hour

// Namespaces records which namespaces this process observed being deleted. Only that is evidence
// that an absent namespace was deleted: after a restore of the cluster's etcd from a backup,
// namespaces that are newer than the backup are absent too, although they were not deleted.
//
// It is also the live reader that it was created with.
type Namespaces struct {
	client.Reader
	clock clock.PassiveClock

	mu sync.Mutex
	// deleted contains the namespaces whose last known state was Terminating, and since when they
	// have been absent, or the zero time while they exist. Only the last state counts: if a
	// namespace with the name, of any UID, is observed that is not being deleted, earlier
	// observations are discarded.
	deleted map[string]time.Time
	// released contains absent namespaces that an administrator released.
	released sets.Set[string]
}

var _ toolscache.ResourceEventHandler = &Namespaces{}

// NewNamespaces returns Namespaces without observations. live must not read from a cache.
func NewNamespaces(live client.Reader, clock clock.PassiveClock) *Namespaces {
	return &Namespaces{Reader: live, clock: clock, deleted: map[string]time.Time{}}
}

// Manager returns a manager whose live reader is n, so that controllers can pass it to
// problem.Awaited.
func (n *Namespaces) Manager(mgr ctrl.Manager) ctrl.Manager { return manager{mgr, n} }

type manager struct {
	ctrl.Manager
	namespaces *Namespaces
}

// GetAPIReader implements manager.Manager.
func (m manager) GetAPIReader() client.Reader { return m.namespaces }

// Ended reports whether a namespace was deleted: this process observed it as Terminating, or an
// administrator released its objects, and the API server responds that it does not exist.
func (n *Namespaces) Ended(ctx context.Context, name string) (bool, error) {
	if !n.saw(name) && !n.isReleased(name) {
		return false, nil
	}
	return n.absent(ctx, name)
}

// See records the state of a namespace that exists.
func (n *Namespaces) See(namespace client.Object) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if namespace.GetDeletionTimestamp() == nil {
		delete(n.deleted, namespace.GetName())
		n.released.Delete(namespace.GetName())
		return
	}
	n.deleted[namespace.GetName()] = time.Time{}
}

// OnAdd implements cache.ResourceEventHandler.
func (n *Namespaces) OnAdd(object any, _ bool) { n.See(object.(client.Object)) }

// OnUpdate implements cache.ResourceEventHandler.
func (n *Namespaces) OnUpdate(_, object any) { n.See(object.(client.Object)) }

// OnDelete implements cache.ResourceEventHandler. The event itself is no evidence: there is also
// one for a namespace that disappeared because of a restore. Its object contains the last state.
func (n *Namespaces) OnDelete(object any) {
	if missed, isMissed := object.(toolscache.DeletedFinalStateUnknown); isMissed {
		object = missed.Obj
	}
	namespace, known := object.(client.Object)
	if !known {
		return
	}
	n.See(namespace)
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, terminating := n.deleted[namespace.GetName()]; terminating {
		n.deleted[namespace.GetName()] = n.clock.Now()
	}
}

// saw reports whether the last observed state of the namespace is Terminating.
func (n *Namespaces) saw(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, terminating := n.deleted[name]
	return terminating
}

func (n *Namespaces) isReleased(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.released.Has(name)
}

// release replaces the released namespaces.
func (n *Namespaces) release(names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.released = sets.New(names...)
}

// forget removes namespaces that have been absent for a long time and contain no objects.
func (n *Namespaces) forget(holding map[string][]*metav1.PartialObjectMetadata) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, since := range n.deleted {
		if _, holds := holding[name]; !holds && !since.IsZero() && n.clock.Since(since) > memory {
			delete(n.deleted, name)
		}
	}
}

// absent reports whether the API server responds that the namespace does not exist. Any other
// failure is returned as an error and is no evidence.
func (n *Namespaces) absent(ctx context.Context, name string) (bool, error) {
	namespace := &corev1.Namespace{}
	err := n.Get(ctx, client.ObjectKey{Name: name}, namespace)
	switch {
	case err == nil:
		n.See(namespace)
		return false, nil
	// A 404 response that is not a Kubernetes Status was sent by an intermediary such as a proxy.
	case apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err):
		return true, nil
	default:
		return false, fmt.Errorf("get namespace %q: %w", name, err)
	}
}
