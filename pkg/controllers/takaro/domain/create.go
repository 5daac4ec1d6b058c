// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"cmp"
	"context"
	"fmt"

	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// prepare verifies, before there is a password to store, that the Secrets can be written, and that
// the create does not have to wait once its intent is stored.
func (r *reconciler) prepare(ctx context.Context, a *attempt) (func(), error) {
	_, a.retried = current(a.domain)
	for _, name := range []string{registrationSecretName(a.domain), rootSecretName(a.domain)} {
		if _, err := r.Secrets.Find(ctx, a.domain, name); err != nil {
			return nil, classify("reading Secret "+name, err)
		}
	}
	if err := r.reserve(ctx, a); err != nil {
		return nil, err
	}
	return a.release, nil
}

// create creates the domain and immediately stores its root password, which Takaro returns only
// once.
func (r *reconciler) create(ctx context.Context, a *attempt, key string) (string, error) {
	in := createInput(&a.domain.Spec, key)
	in.Name = cmp.Or(in.Name, a.domain.Name)
	created, err := a.Client.CreateDomain(ctx, in)
	a.release() // the requests that follow do not load Takaro as a create does
	if takaro.IsConflict(err) {
		// An earlier attempt may have succeeded: the next search finds its domain.
		return "", failing(err, fmt.Sprintf(
			"The externalReference %q came into use while the domain was being created. It is searched for again.", key))
	}
	if err != nil {
		return "", problem.Refused(err, r.judge(a, "creating the domain in Takaro", err))
	}
	domainsCreated.Inc()
	r.observer.put(a.Key, &created.Domain)
	a.saw(&created.Domain)
	if err := r.storeRoot(ctx, a.domain, created); err != nil {
		return "", classify("storing the root credentials", err)
	}
	if !a.retried {
		r.settled.note(a.domain.UID, created.Domain.ID)
	}
	return created.Domain.ID, nil
}
