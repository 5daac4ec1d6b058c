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

// cluster is the state of the cluster in one check.
type cluster struct {
	// secret is nil if it does not exist.
	secret *corev1.Secret
	// services are the APIServices of Roadstead that exist and verify certificates.
	services []*apiregistration.APIService
}

// look performs the next change, and reports whether it wrote something.
func (k *Keeper) look(ctx context.Context, found cluster) (wrote bool) {
	var bundles [][]*x509.Certificate
	for _, service := range found.services {
		// An invalid bundle trusts nothing.
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
		// The certificate is the same, but the Secret may have more CAs.
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
		// The APIServices are updated after the Secret.
		return k.write(ctx, s, o, found.secret)
	default:
		return k.write(ctx, s, o, found.secret) || k.publish(ctx, o.stored, found.services)
	}
}

// read returns the record of the Secret, or nil. It logs the same damage once.
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
		klog.FromContext(ctx).Info("The Secret of the serving certificate is damaged; the previous certificate is still served, and the "+
			"holder of the Lease creates the Secret again",
			"secret", klog.KRef(k.Namespace, SecretName), "damage", damage, "lease", LeaseName)
	}
	return nil
}

// write performs a step. A failed step is repeated in the next check.
func (k *Keeper) write(ctx context.Context, s step, o observation, secret *corev1.Secret) bool {
	log := klog.FromContext(ctx).WithValues("secret", klog.KRef(k.Namespace, SecretName), "step", s)
	next, err := perform(s, o)
	if err != nil {
		log.Info("Failed to update the serving certificate", "err", err)
		return false
	}
	changed, err := newSecret(k.Namespace, next)
	if err != nil {
		log.Info("Failed to update the serving certificate", "err", err)
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
		log.Info("Failed to write the Secret of the serving certificate; trying again", "err", err)
		return true
	}
	k.seen = next
	log.Info("Wrote the Secret of the serving certificate")
	return true
}

// publish sets the CAs of the record in the APIServices, also if another client has changed them.
func (k *Keeper) publish(ctx context.Context, r *record, services []*apiregistration.APIService) (wrote bool) {
	log := klog.FromContext(ctx)
	bundle, err := r.bundle()
	if err != nil {
		log.Info("Failed to encode the CA bundle", "err", err)
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
			log.Info("Failed to write the CA bundle of an APIService; trying again", "apiService", service.Name, "err", err)
			continue
		}
		log.Info("Wrote the CA bundle of an APIService", "apiService", service.Name)
	}
	return wrote
}
