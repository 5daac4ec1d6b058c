// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Follow takes up changes of the seeds in the Secret until ctx ends, so that seeds are rotated without a restart. It calls
// changed after each. A Secret that is gone or unusable changes nothing: the seeds in use stay.
func (t *Transformers) Follow(ctx context.Context, client kubernetes.Interface, namespace string, changed func()) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, SecretName).String()
		}))
	take := func(object any) {
		if secret, ok := object.(*corev1.Secret); ok {
			t.take(ctx, secret, changed)
		}
	}
	_, err := factory.Core().V1().Secrets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    take,
		UpdateFunc: func(_, object any) { take(object) },
		DeleteFunc: func(any) {
			klog.FromContext(ctx).Error(nil, "The Secret with the encryption seeds was deleted; this server goes on with those it knows, but none can start: restore the Secret from a backup",
				"secret", klog.KRef(namespace, SecretName))
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	return nil
}

func (t *Transformers) take(ctx context.Context, secret *corev1.Secret, changed func()) {
	log := klog.FromContext(ctx).WithValues("secret", klog.KObj(secret))
	seeds, err := fromSecret(secret)
	if err != nil {
		log.Error(err, "The encryption seeds cannot be used; this server goes on with those it knows")
		return
	}
	different, err := t.Use(seeds)
	if err != nil {
		log.Error(err, "The encryption seeds cannot be used; this server goes on with those it knows")
		return
	}
	if different {
		log.Info("Took up other encryption seeds", "seeds", len(seeds), "writes", name(seeds[0]))
		changed()
	}
}
