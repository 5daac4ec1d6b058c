// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// sampleEvery is the interval at which Takaro is read. Nothing removes duplicates in between.
const sampleEvery = 100 * time.Millisecond

// Observer observes a run.
type Observer struct {
	client  dynamic.Interface
	outside func() check.Outside
	// told is called once for each violation.
	told func(check.Violation)

	stores  map[string]cache.SharedIndexInformer
	suspect chan suspect
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	known   map[check.Violation]bool
	changes map[history.Key][]time.Time
	seen    map[string][]check.Seen
	// deleted are the objects whose deletion a watch has reported, by UID.
	deleted map[string]check.Ended
}

// suspect is an object that reported Ready, and the time of the report.
type suspect struct {
	check.Object
	at time.Time
}

// Start starts to observe. The function outside returns what Takaro contains.
func Start(client dynamic.Interface, outside func() check.Outside, told func(check.Violation)) (*Observer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	o := &Observer{
		client: client, outside: outside, told: told, stop: cancel, suspect: make(chan suspect, 10000),
		stores: map[string]cache.SharedIndexInformer{}, known: map[check.Violation]bool{}, changes: map[history.Key][]time.Time{},
		seen:    map[string][]check.Seen{},
		deleted: map[string]check.Ended{},
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for kind, resource := range Resources {
		informer := factory.ForResource(resource).Informer()
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: o.saw, UpdateFunc: func(_, now any) { o.saw(now) }, DeleteFunc: o.sawDeletion,
		}); err != nil {
			cancel()
			return nil, err
		}
		o.stores[kind] = informer
		o.running.Go(func() { informer.RunWithContext(ctx) })
	}
	o.running.Go(func() { o.sample(ctx) })
	o.running.Go(func() { o.question(ctx) })
	return o, nil
}

// Stop stops the observer and returns when its goroutines have ended.
func (o *Observer) Stop() {
	o.stop()
	o.running.Wait()
}

// report reports new violations.
func (o *Observer) report(found []check.Violation) {
	for _, v := range found {
		o.mu.Lock()
		fresh := !o.known[v]
		o.known[v] = true
		o.mu.Unlock()
		if fresh {
			o.told(v)
		}
	}
}

// saw handles an event of a watch.
func (o *Observer) saw(event any) {
	in, ok := event.(*unstructured.Unstructured)
	if !ok {
		return
	}
	object := Object(in)
	o.mu.Lock()
	o.changes[object.Key] = append(o.changes[object.Key], time.Now())
	o.mu.Unlock()
	o.report(o.returned(object))
	if object.IsReady() {
		o.suspect <- suspect{Object: object, at: time.Now()}
	}
}

// sample reads Takaro periodically.
func (o *Observer) sample(ctx context.Context) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for {
		now := o.outside()
		o.report(append(check.MadeTwice(now.Domains), check.ForeignTouched(now)...))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// question compares what objects report with Takaro.
func (o *Observer) question(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case object := <-o.suspect:
			o.note(object)
			if len(check.Untrue(o.complete(object.Object))) > 0 {
				o.confirm(ctx, object.Object)
			}
		}
	}
}

// between is the time between two reads of an object that seems to report a wrong state.
const between = 500 * time.Millisecond

// confirm reads an object and its Domain twice from the API, since watches may be behind. It first
// waits until the controllers have had time to detect a lapse of Takaro.
func (o *Observer) confirm(ctx context.Context, object check.Object) {
	for left := o.aftermath(); left > 0 && ctx.Err() == nil; left = o.aftermath() {
		pause(ctx, left)
	}
	first, before, ok := o.again(ctx, object)
	if !ok || len(before) == 0 {
		return
	}
	pause(ctx, between)
	if second, after, ok := o.again(ctx, object); ok {
		o.report(check.Lies(first, second, before, after))
	}
}

// complete finds the Takaro domain of an object, or nil, from what the watches have reported.
func (o *Observer) complete(object check.Object) (check.Object, *takaro.Domain) {
	if object.Domain != "" {
		stored, _, _ := o.stores[check.Domain].GetStore().GetByKey(object.Key.Namespace + "/" + object.Domain)
		if owner, ok := stored.(*unstructured.Unstructured); ok {
			object.DomainID = Object(owner).OutsideID
		}
	}
	return object, o.inTakaro(object.DomainID)
}

func (o *Observer) inTakaro(id string) *takaro.Domain {
	domains := o.outside().Domains
	if i := slices.IndexFunc(domains, func(d takaro.Domain) bool { return d.ID == id }); i >= 0 {
		return &domains[i]
	}
	return nil
}

// again reads an object and its Domain and returns what the object reports wrongly. It returns
// false if one of them no longer exists: then the other one is being deleted.
func (o *Observer) again(ctx context.Context, object check.Object) (check.Object, []string, bool) {
	now, ok := o.read(ctx, object.Key)
	if !ok {
		return now, nil, false
	}
	if now.Domain != "" {
		owner, ok := o.read(ctx, history.Key{Kind: check.Domain, Namespace: now.Key.Namespace, Name: now.Domain})
		if !ok || owner.Deleting {
			return now, nil, false
		}
		now.DomainID = owner.OutsideID
	}
	return now, check.Untrue(now, o.inTakaro(now.DomainID)), true
}

// read reads an object, with retries while the servers are unavailable, or false if it is deleted.
func (o *Observer) read(ctx context.Context, key history.Key) (check.Object, bool) {
	for ctx.Err() == nil {
		now, err := o.client.Resource(Resources[key.Kind]).Namespace(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		if err == nil {
			return Object(now), true
		}
		if apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err) {
			return check.Object{}, false
		}
		pause(ctx, time.Second)
	}
	return check.Object{}, false
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Watched returns the objects as the watches reported them.
func (o *Observer) Watched() []check.Object {
	var all []check.Object
	for _, informer := range o.stores {
		for _, stored := range informer.GetStore().List() {
			if in, ok := stored.(*unstructured.Unstructured); ok {
				all = append(all, Object(in))
			}
		}
	}
	return all
}

// Busy returns violations for objects that changed too often.
func (o *Observer) Busy() []check.Violation {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []check.Violation
	for _, key := range slices.SortedFunc(maps.Keys(o.changes), func(a, b history.Key) int {
		return slices.Compare([]string{a.String()},
			[]string{b.String()})
	}) {
		found = append(found, check.Busy("changes of "+key.String(), o.changes[key])...)
	}
	return found
}
