// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// watching watches all objects of some kinds in a namespace.
type watching struct {
	cluster   *cluster
	kinds     []*kind
	informers map[*kind]cache.SharedIndexInformer
	// changed contains a token if something changed since the last check; refused contains the
	// first permanent error.
	changed chan struct{}
	refused chan error
}

func newWatching(c *cluster, kinds []*kind) *watching {
	return &watching{cluster: c, kinds: kinds, informers: map[*kind]cache.SharedIndexInformer{}, changed: make(chan struct{}, 1),
		refused: make(chan error, 1)}
}

// start returns when all objects have been read. It waits for an unavailable server; a missing
// permission is an error.
func (w *watching) start(ctx context.Context) error {
	for _, k := range w.kinds {
		namespace := ""
		if k.Namespaced {
			namespace = w.cluster.namespace
		}
		informer := dynamicinformer.NewFilteredDynamicInformer(w.cluster.watched, k.resource(), namespace, 0, cache.Indexers{}, nil).Informer()
		if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector,
			err error) {
			w.refuse(k, err)
		}); err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { w.signal() }, UpdateFunc: func(any, any) { w.signal() }, DeleteFunc: func(any) { w.signal() },
		}); err != nil {
			return err
		}
		w.informers[k] = informer
		go informer.RunWithContext(ctx)
	}
	for _, informer := range w.informers {
		select {
		case <-informer.HasSyncedChecker().Done():
		case err := <-w.refused:
			return err
		case <-ctx.Done():
			return fmt.Errorf("the cluster did not list %s in time: %w", strings.Join(fullNames(w.kinds), ", "), ctx.Err())
		}
	}
	return nil
}

func (w *watching) signal() {
	select {
	case w.changed <- struct{}{}:
	default: // a check is pending already
	}
}

// refuse ends the wait with a permanent error.
func (w *watching) refuse(k *kind, err error) {
	if !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) && !apierrors.IsMethodNotSupported(err) {
		return
	}
	select {
	case w.refused <- fmt.Errorf("watch %s: %w", k.fullName(), err):
	default: // one error is sufficient
	}
}

// next returns when something changed, and at least every ten seconds, because messages contain
// ages.
func (w *watching) next(ctx context.Context) error {
	select {
	case <-w.changed:
		return nil
	case err := <-w.refused:
		return err
	case <-time.After(10 * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// objects returns the objects that the arguments name, and for kinds without a name those that
// exist now.
func (w *watching) objects(wanted []target, until string) []*awaited {
	var all []*awaited
	for _, k := range w.kinds {
		items := map[string]*unstructured.Unstructured{}
		for _, item := range w.informers[k].GetStore().List() {
			if object, is := item.(*unstructured.Unstructured); is {
				items[object.GetName()] = object
			}
		}
		for name, object := range items {
			if len(wanted) == 0 || slices.Contains(wanted, target{kind: k}) || slices.Contains(wanted, target{kind: k, name: name}) {
				a := &awaited{kind: k, name: name}
				if until == forDeleted {
					a.uid = string(object.GetUID())
				}
				all = append(all, a)
			}
		}
		for _, one := range wanted {
			if _, there := items[one.name]; one.kind == k && one.name != "" && !there {
				all = append(all, &awaited{kind: k, name: one.name})
			}
		}
	}
	slices.SortFunc(all, func(a, b *awaited) int { return strings.Compare(a.title(), b.title()) })
	return slices.CompactFunc(all, func(a, b *awaited) bool { return a.title() == b.title() && a.kind == b.kind })
}

// measure updates the progress of all objects, and counts them.
func (w *watching) measure(all []*awaited, until string, now time.Time) (reached, failed int) {
	for _, a := range all {
		a.progress = w.progressOf(a, until, now)
		if a.reached {
			reached++
		}
		if a.failed {
			failed++
		}
	}
	return reached, failed
}

func (w *watching) progressOf(a *awaited, until string, now time.Time) progress {
	name := a.name
	if a.kind.Namespaced {
		name = w.cluster.namespace + "/" + a.name
	}
	item, there, err := w.informers[a.kind].GetStore().GetByKey(name)
	object, is := item.(*unstructured.Unstructured)
	if err != nil || there && !is {
		return progress{text: errors.Join(err, fmt.Errorf("it cannot be read: %T", item)).Error()}
	}
	if !there {
		return progress{reached: until == forDeleted, text: "it does not exist"}
	}
	if a.uid != "" && a.uid != string(object.GetUID()) {
		return progress{reached: true, text: "it was deleted; another object with this name was created"}
	}
	return progressTo(until, assess(a.kind, object, now))
}

// progressTo returns the progress of an object towards a state.
func progressTo(until string, says readiness) progress {
	p := progress{failed: says.failed(), text: says.reason}
	if says.message != "" {
		p.text += ": " + says.message
	}
	switch until {
	case forReady:
		p.reached = says.ready
	case forFinished:
		p.reached = says.finished
		p.failed = p.failed && !says.finished
	}
	return p
}
