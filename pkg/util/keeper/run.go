// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"bytes"
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Retry is the time between evaluations of a Secret that cannot be used.
const Retry = 2 * time.Second

// Run evaluates the Secret at each change until ctx ends. It restores missing values immediately, and calls changed with
// the values when they differ from those that Get returned or changed accepted last. If changed returns an error, it is
// called again after Retry. While the Secret cannot be used, the values that were accepted last stay in use.
func (k *Keeper) Run(ctx context.Context, changed func(ctx context.Context, values [][]byte) error) {
	events := k.watch(ctx)
	var complaint string
	for {
		var again <-chan time.Time
		if err := k.follow(ctx, changed); err != nil {
			again = time.After(Retry)
			if text := err.Error(); text != complaint && ctx.Err() == nil {
				complaint = text
				klog.FromContext(ctx).Error(err, "The Secret cannot be used; the values in use do not change",
					"secret", klog.KRef(k.namespace, k.spec.Name), "retryAfter", Retry)
			}
		} else {
			complaint = ""
		}
		select {
		case <-ctx.Done():
			return
		case <-events:
		case <-k.refresh:
		case <-again:
		}
	}
}

// follow runs one step and passes on changed values.
func (k *Keeper) follow(ctx context.Context, changed func(ctx context.Context, values [][]byte) error) error {
	k.stepping.Lock()
	defer k.stepping.Unlock()
	values, err := k.step(ctx)
	if err != nil || slices.EqualFunc(values, k.given, bytes.Equal) {
		return err
	}
	if err := changed(ctx, values); err != nil {
		return err
	}
	k.given = values
	return nil
}

// watch returns a channel that receives after changes of the Secret. Several changes may result in
// one message.
func (k *Keeper) watch(ctx context.Context) <-chan struct{} {
	events := make(chan struct{}, 1)
	notify := func() {
		select {
		case events <- struct{}{}:
		default:
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(k.client, 0, informers.WithNamespace(k.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, k.spec.Name).String()
		}))
	handle, err := factory.Core().V1().Secrets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { notify() }, UpdateFunc: func(any, any) { notify() }, DeleteFunc: func(any) { notify() },
	})
	if err != nil {
		// Only an informer that has stopped returns an error, and this one has not started.
		klog.FromContext(ctx).Error(err, "Failed to watch the Secret", "secret", klog.KRef(k.namespace, k.spec.Name))
		return events
	}
	factory.Start(ctx.Done())
	go func() {
		// A Secret that was deleted before the first list causes no event.
		if cache.WaitForCacheSync(ctx.Done(), handle.HasSynced) {
			notify()
		}
	}()
	return events
}
