// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/takaro"
)

// storeBackoff is how long the root password is tried to be stored: about 20 s. After that it is lost, and the domain is
// made again where that may be done.
var storeBackoff = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 9, Cap: 10 * time.Second}

// create makes the domain in Takaro. vanished says that there was one before.
//
// The order matters: first the reference is recorded in the status, so that whatever dies afterwards, the domain that
// may exist by then is known as ours; then the domain is made, once; then, before anything else, its root password is
// stored, which Takaro tells this one time.
func (r *reconciler) create(ctx context.Context, a *attempt, vanished bool) (*takaro.Domain, *problem) {
	if blocked := r.namesFree(ctx, a); blocked != nil {
		return nil, blocked
	}
	if vanished {
		r.warn(a, eventVanished, "Takaro domain %s is gone, though this object was not deleted; it is made again", a.domain.Status.DomainID)
	}
	first, blocked := r.record(ctx, a, vanished)
	if blocked != nil {
		return nil, blocked
	}
	created, err := a.client.CreateDomain(ctx, createInput(&a.domain.Spec, a.reference))
	if takaro.IsConflict(err) && first && typed(a.domain) {
		// Nothing of ours can carry the reference yet, so what does is a stranger's. The record would make it look like
		// ours from now on, and be deleted with this object.
		a.domain.Status.ExternalReferenceID = ""
		return nil, taken(a, "a Takaro domain")
	}
	if takaro.IsConflict(err) {
		// Somebody, perhaps an earlier attempt of ours, was faster: the next look tells who.
		return nil, &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRequestFailed,
			message: "the externalReference came into use while the domain was being made; looking again", retry: err}
	}
	if err != nil {
		return nil, r.judge(a, "making the domain in Takaro", err)
	}
	domainsCreated.Inc()
	r.observer.put(a.key, &created.Domain)
	if err := r.storeRoot(ctx, a.domain, created); err != nil {
		return nil, classify("storing the root credentials", err)
	}
	r.note(a, eventCreated, "Takaro domain %s was made", created.Domain.ID)
	return &created.Domain, nil
}

// namesFree makes sure that the Secrets can be written before there is a password to write.
func (r *reconciler) namesFree(ctx context.Context, a *attempt) *problem {
	for _, name := range []string{registrationSecretName(a.domain), rootSecretName(a.domain)} {
		if _, err := r.secrets.Find(ctx, a.domain, name); err != nil {
			return classify("looking at Secret "+name, err)
		}
	}
	return nil
}

// record writes the reference into the status before a domain is made. Even when it is there already the API server is
// asked, so that nothing is made for an object that changed or went away unseen. first tells that the reference was never
// recorded before.
func (r *reconciler) record(ctx context.Context, a *attempt, vanished bool) (first bool, blocked *problem) {
	first = a.domain.Status.ExternalReferenceID != a.reference
	if first || vanished {
		a.domain.Status.DomainID = ""
		a.domain.Status.ExternalReferenceID = a.reference
		begin(a.domain, "the domain is being made in Takaro")
		if err := r.client.Status().Update(ctx, a.domain); err != nil {
			return first, classify("recording the reference", err)
		}
		return first, nil
	}
	current := &v1alpha1.Domain{}
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(a.domain), current); err != nil {
		return first, classify("reading the object again", err)
	}
	if current.UID != a.domain.UID || current.ResourceVersion != a.domain.ResourceVersion {
		return first, classify("reading the object again", errOutdated)
	}
	return first, nil
}

// storeRoot writes the root login into its Secret. It does not stop with the process's leadership or at a first
// refusal: what is not stored now cannot be had again.
func (r *reconciler) storeRoot(ctx context.Context, domain *v1alpha1.Domain, created *takaro.CreatedDomain) error {
	var last error
	err := wait.ExponentialBackoffWithContext(context.WithoutCancel(ctx), storeBackoff, func(ctx context.Context) (bool, error) {
		last = r.secrets.Apply(ctx, domain, rootSecretName(domain), rootData(domain, created))
		var taken *secrets.NameTakenError
		if errors.As(last, &taken) {
			return false, last
		}
		if last != nil {
			log.FromContext(ctx).Error(last, "Storing the root credentials failed, trying again")
		}
		return last == nil, nil
	})
	if last != nil {
		return last
	}
	return err
}
