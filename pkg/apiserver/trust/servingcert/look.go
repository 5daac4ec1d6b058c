// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"context"
	"crypto/x509"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// cluster is what the host cluster holds at one look.
type cluster struct {
	// secret is nil when there is none.
	secret *corev1.Secret
	// services are those of our APIServices that exist and verify certificates.
	services []*apiregistration.APIService
}

// look does what is to be done now and tells whether it wrote something.
func (k *Keeper) look(ctx context.Context, found cluster) (wrote bool) {
	var bundles [][]*x509.Certificate
	for _, service := range found.services {
		// What is no certificate trusts nothing.
		bundle, _ := cert.ParseCertsPEM(service.Spec.CABundle)
		bundles = append(bundles, bundle)
	}
	k.trust = k.trust.observed(bundles, k.Clock.Now())
	o := k.observe(k.read(ctx, found.secret))
	switch {
	case follow(o):
		k.serve(ctx, o.stored)
		o = k.observe(o.stored)
	case o.stored != nil && o.stored.leaf().Equal(o.served.leaf()):
		// The same certificate; the Secret may have more CAs by now.
		k.served.Store(o.stored)
	}
	if o.whole() {
		k.seen = o.stored
	}
	if !k.leads() {
		return false
	}
	switch s := decide(o); s {
	case keep:
		return k.publish(ctx, o.stored, found.services)
	case create, restore, remember:
		// The Secret is not what the APIServices should trust yet.
		return k.write(ctx, s, o, found.secret)
	default:
		return k.write(ctx, s, o, found.secret) || k.publish(ctx, o.stored, found.services)
	}
}

// read gives the record of the Secret, or nil; damage is said once.
func (k *Keeper) read(ctx context.Context, secret *corev1.Secret) *record {
	damage := "it is missing"
	if secret != nil {
		stored, err := parse(secret.Data)
		if err == nil {
			k.damage = ""
			return stored
		}
		damage = err.Error()
	}
	if damage != k.damage {
		k.damage = damage
		klog.FromContext(ctx).Info("The Secret of the serving certificate is damaged: the certificate from before is served on, and the "+
			"holder of the Lease makes the Secret again",
			"secret", klog.KRef(k.Namespace, SecretName), "damage", damage, "lease", LeaseName)
	}
	return nil
}

// write takes a step. What it fails in is tried again at the next look.
func (k *Keeper) write(ctx context.Context, s step, o observation, secret *corev1.Secret) bool {
	log := klog.FromContext(ctx).WithValues("secret", klog.KRef(k.Namespace, SecretName), "step", s)
	next, err := perform(s, o)
	if err != nil {
		log.Info("The serving certificate cannot be kept up", "err", err)
		return false
	}
	changed, err := newSecret(k.Namespace, next)
	if err != nil {
		log.Info("The serving certificate cannot be kept up", "err", err)
		return false
	}
	secrets := k.Client.CoreV1().Secrets(k.Namespace)
	if secret == nil {
		_, err = secrets.Create(ctx, changed, metav1.CreateOptions{})
	} else {
		data := changed.Data
		changed = secret.DeepCopy()
		changed.Data = data
		_, err = secrets.Update(ctx, changed, metav1.UpdateOptions{})
	}
	if err != nil {
		log.Info("The Secret of the serving certificate was not written, trying again", "err", err)
		return true
	}
	k.seen = next
	log.Info("The Secret of the serving certificate was written")
	return true
}

// publish lets the APIServices trust the CAs of the record, whoever has changed them.
func (k *Keeper) publish(ctx context.Context, r *record, services []*apiregistration.APIService) (wrote bool) {
	log := klog.FromContext(ctx)
	bundle, err := r.bundle()
	if err != nil {
		log.Info("The CA bundle cannot be made", "err", err)
		return false
	}
	for _, service := range services {
		if bytes.Equal(service.Spec.CABundle, bundle) {
			continue
		}
		wrote = true
		changed := service.DeepCopy()
		changed.Spec.CABundle = bundle
		if _, err := k.Aggregator.ApiregistrationV1().APIServices().Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			log.Info("The CA bundle of an APIService was not written, trying again", "apiService", service.Name, "err", err)
			continue
		}
		log.Info("The CA bundle of an APIService was written", "apiService", service.Name)
	}
	return wrote
}
