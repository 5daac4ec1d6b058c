// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"
	"slices"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// observe reads the attempt's domain from Takaro:
//
//   - live, before a change that cannot be undone: a new complete list, each recorded id, this
//     object and its root Secret, all without caches.
//   - An owned domain: the list that all Domains of the endpoint share, and a read by id if it
//     lacks the domain.
//   - Otherwise a search by the references, and a read of each recorded id.
//
// The rest of the status is never used to find a domain.
func (r *reconciler) observe(ctx context.Context, a *attempt, live bool) (ownership.Observed, error) {
	if a.Client == nil {
		return ownership.Observed{}, nil // an endpoint is missing only with deletionPolicy Retain
	}
	observed, err := r.look(ctx, a, live)
	if err != nil {
		return observed, err
	}
	observed.GoneSince, observed.Live = a.State.GoneSince, live
	record, found := current(a.domain)
	if !found || record.State != ownership.Intended || observed.List == nil {
		return observed, nil
	}
	for i, object := range observed.List.Objects {
		if object.Reference != record.Key {
			continue
		}
		stored, err := r.rootStored(ctx, a.domain, object.ID)
		if err != nil {
			return observed, classify("reading the root credentials", err)
		}
		observed.Incomplete = !stored
		if live && !stored {
			observed.List.Objects[i].Used, err = r.used(ctx, a, a.seen[object.ID])
			if err != nil {
				return observed, err
			}
		}
	}
	return observed, nil
}

func (r *reconciler) look(ctx context.Context, a *attempt, live bool) (ownership.Observed, error) {
	record, owned := held(a.domain)
	switch {
	case live:
		return r.lookLive(ctx, a)
	case owned:
		return r.lookForHeld(ctx, a, record.ID)
	default:
		return r.lookForReferences(ctx, a)
	}
}

// lookForHeld sends no request while the shared list contains the domain.
func (r *reconciler) lookForHeld(ctx context.Context, a *attempt, id string) (ownership.Observed, error) {
	list, err := r.observer.list(ctx, a.Key, a.Client)
	if err != nil && !takaro.IsIncomplete(err) {
		return ownership.Observed{}, r.judge(a, "listing the domains in Takaro", err)
	}
	if err == nil {
		if record, listed := r.observer.find(list, id); listed {
			return ownership.Observed{List: a.listOf([]takaro.Domain{record})}, nil
		}
		if a.State.VanishedHold != "" && a.domain.DeletionTimestamp == nil {
			// The decision is to wait. When an entire database is missing, a read for each of its
			// domains would overload Takaro.
			return ownership.Observed{List: &ownership.List{}, Reads: []ownership.Read{{ID: id}}}, nil
		}
	}
	read, readErr := r.read(ctx, a, id)
	switch {
	case readErr != nil:
		return ownership.Observed{}, readErr
	case err != nil && read.Object == nil:
		return ownership.Observed{List: incomplete(err), Reads: []ownership.Read{read}}, nil
	case err != nil:
		return ownership.Observed{Reads: []ownership.Read{read}}, nil
	case read.Object != nil:
		return r.lookLive(ctx, a) // the list is older
	}
	return ownership.Observed{List: &ownership.List{}, Reads: []ownership.Read{read}}, nil
}

// lookForReferences searches by the create key and the user-specified reference. A recorded domain
// with neither reference is not in the result, so the result of a read by id is added.
func (r *reconciler) lookForReferences(ctx context.Context, a *attempt) (ownership.Observed, error) {
	references := []string{a.want().Key}
	if typed(a.domain) {
		references = append(references, a.domain.Spec.ExternalReferenceID)
	}
	rows, err := a.Client.SearchDomains(ctx, takaro.DomainSearch{ExternalReferences: references})
	if takaro.IsIncomplete(err) {
		return ownership.Observed{List: incomplete(err)}, nil
	}
	if err != nil {
		return ownership.Observed{}, r.judge(a, "searching for the domain in Takaro", err)
	}
	observed := ownership.Observed{List: a.listOf(rows)}
	observed.Reads, err = r.readAll(ctx, a)
	for _, read := range observed.Reads {
		if read.Object != nil && !slices.Contains(references, read.Object.Reference) {
			observed.List.Objects = append(observed.List.Objects, *read.Object)
		}
	}
	return observed, err
}

func (r *reconciler) lookLive(ctx context.Context, a *attempt) (ownership.Observed, error) {
	if err := a.State.Confirm(ctx); err != nil {
		return ownership.Observed{}, r.judge(a, "connecting", err)
	}
	if err := r.rereadObject(ctx, a); err != nil {
		return ownership.Observed{}, err
	}
	list, err := r.observer.fresh(ctx, a.Key, a.Client)
	if takaro.IsIncomplete(err) {
		return ownership.Observed{List: incomplete(err)}, nil
	}
	if err != nil {
		return ownership.Observed{}, r.judge(a, "listing the domains in Takaro", err)
	}
	observed := ownership.Observed{List: a.listOf(r.observer.all(list))}
	observed.Reads, err = r.readAll(ctx, a)
	return observed, err
}

// rereadObject verifies that the object has not changed since the attempt started, and reads its
// root Secret without caches.
func (r *reconciler) rereadObject(ctx context.Context, a *attempt) error {
	now := &v1alpha1.Domain{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(a.domain), now); err != nil {
		return classify("reading the object again", err)
	}
	if now.UID != a.domain.UID || now.ResourceVersion != a.domain.ResourceVersion {
		return classify("reading the object again", base.ErrOutdated)
	}
	_, err := r.Secrets.GetLive(ctx, client.ObjectKey{Namespace: a.domain.Namespace, Name: rootSecretName(a.domain)})
	if client.IgnoreNotFound(err) != nil {
		return classify("reading the root credentials", err)
	}
	return nil
}

// readAll reads each recorded id.
func (r *reconciler) readAll(ctx context.Context, a *attempt) ([]ownership.Read, error) {
	var reads []ownership.Read
	for _, record := range ledgerOf(a.domain) {
		if record.Kind != recordKind || record.ID == "" {
			continue
		}
		read, err := r.read(ctx, a, record.ID)
		if err != nil {
			return reads, err
		}
		reads = append(reads, read)
	}
	return reads, nil
}

func (r *reconciler) read(ctx context.Context, a *attempt, id string) (ownership.Read, error) {
	record, err := a.Client.GetDomain(ctx, id)
	switch {
	case takaro.IsNotFound(err):
		return ownership.Read{ID: id}, nil
	case err != nil:
		return ownership.Read{}, r.judge(a, "reading the domain in Takaro", err)
	}
	object := a.saw(record)
	return ownership.Read{ID: id, Object: &object}, nil
}

// listOf returns a complete list of the rows.
func (a *attempt) listOf(rows []takaro.Domain) *ownership.List {
	list := &ownership.List{Rows: len(rows), Total: len(rows)}
	for i := range rows {
		if a.concerns(&rows[i]) {
			list.Objects = append(list.Objects, a.saw(&rows[i]))
		}
	}
	return list
}

// concerns reports whether the domain is recorded or has a reference of this object.
func (a *attempt) concerns(record *takaro.Domain) bool {
	want := a.want()
	if reference := ptr.Deref(record.ExternalReference, ""); reference != "" && (reference == want.Key || reference == want.Name) {
		return true
	}
	return slices.ContainsFunc(ledgerOf(a.domain), func(known ownership.Record) bool { return known.ID == record.ID })
}

// saw keeps the domain for the rest of the attempt.
func (a *attempt) saw(record *takaro.Domain) ownership.Object {
	copied := *record
	a.seen[record.ID] = &copied
	reference := ptr.Deref(record.ExternalReference, "")
	return ownership.Object{ID: record.ID, Reference: reference, Name: reference}
}

// incomplete returns the list for a search that returned fewer rows than Takaro counts.
func incomplete(err error) *ownership.List {
	list := &ownership.List{Total: 1}
	var short *takaro.IncompleteError
	if errors.As(err, &short) {
		list.Rows, list.Total = short.Rows, short.Total
	}
	return list
}
