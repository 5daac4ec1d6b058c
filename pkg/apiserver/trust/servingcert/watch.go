// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	aggregatorinformers "k8s.io/kube-aggregator/pkg/client/informers/externalversions"
	aggregatorlisters "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"
)

// nudge requests a check. Several requests before the check are combined.
type nudge chan struct{}

func newNudge() nudge { return make(nudge, 1) }

func (n nudge) give() {
	select {
	case n <- struct{}{}:
	default:
	}
}

// watched are the Secret and the APIServices, each watched by its name, because the permissions
// allow only that.
type watched struct {
	secrets  corelisters.SecretNamespaceLister
	services map[string]aggregatorlisters.APIServiceLister
	// synced report whether everything has been read once.
	synced []cache.InformerSynced
}

// watch watches these objects until ctx ends, and requests a check at each change.
func (k *Keeper) watch(ctx context.Context, nudge nudge) *watched {
	w := &watched{services: map[string]aggregatorlisters.APIServiceLister{}}
	core := informers.NewSharedInformerFactoryWithOptions(k.Client, 0, informers.WithNamespace(k.Namespace),
		informers.WithTweakListOptions(named(SecretName)))
	secrets := core.Core().V1().Secrets()
	w.secrets = secrets.Lister().Secrets(k.Namespace)
	w.join(secrets.Informer(), nudge)
	core.Start(ctx.Done())
	for _, name := range k.APIServices {
		factory := aggregatorinformers.NewSharedInformerFactoryWithOptions(k.Aggregator, 0, aggregatorinformers.WithTweakListOptions(named(name)))
		services := factory.Apiregistration().V1().APIServices()
		w.services[name] = services.Lister()
		w.join(services.Informer(), nudge)
		factory.Start(ctx.Done())
	}
	return w
}

// named selects one object.
func named(name string) func(*metav1.ListOptions) {
	return func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	}
}

func (w *watched) join(informer cache.SharedIndexInformer, nudge nudge) {
	// The only error is that of a stopped informer.
	handle, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { nudge.give() }, UpdateFunc: func(any, any) { nudge.give() }, DeleteFunc: func(any) { nudge.give() },
	})
	if err == nil {
		w.synced = append(w.synced, handle.HasSynced)
	}
}

// read returns the contents of the caches.
func (w *watched) read() (found cluster, err error) {
	found.secret, err = w.secrets.Get(SecretName)
	if err != nil && !apierrors.IsNotFound(err) {
		return found, err
	}
	for name, lister := range w.services {
		service, err := lister.Get(name)
		if apierrors.IsNotFound(err) {
			// The APIService may be applied after the server.
			continue
		}
		if err != nil {
			return found, err
		}
		if !service.Spec.InsecureSkipTLSVerify {
			found.services = append(found.services, service)
		}
	}
	return found, nil
}
