// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// removeSurplus removes the game servers of pods that no longer exist, because they count towards
// the domain's limit. A game server whose pod still exists might register again. It returns when to
// check again for late registrations, or 0 for never.
func (r *reconciler) removeSurplus(ctx context.Context, a *attempt) (time.Duration, *base.Blocked) {
	var again time.Duration
	for _, ordinal := range currentOrdinals(a.server) {
		if _, runs := a.pods[ordinal]; ordinal < replicasOf(a.server) || runs {
			continue
		}
		err := r.disposeOne(ctx, a, ordinal)
		var stopped *outside.StoppedError
		if errors.As(err, &stopped) && stopped.Decision.Reason == ownership.ReasonCreateUnclear {
			again = soonest(again, stopped.Decision.After)
			continue
		}
		if err != nil {
			return 0, classify("removing a game server from Takaro", err)
		}
		r.restarts.reached(a.server.UID, ordinal)
	}
	return again, nil
}

// removeRecords removes every game server of the MockServer from Takaro.
func (r *reconciler) removeRecords(ctx context.Context, a *attempt) *base.Blocked {
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	if blocked := r.locateForRemoval(ctx, a); blocked != nil || a.place.DomainID == "" {
		return blocked
	}
	if err := r.listAnew(ctx, a); err != nil {
		return classify("listing the game servers in Takaro", err)
	}
	if a.server.Status.Ownership == nil {
		if blocked := r.record(ctx, a, importLedger(a.server, a.place.DomainID, a.list.Rows, r.Clock.Now())); blocked != nil {
			return blocked
		}
	}
	if blocked := r.withdraw(a); blocked != nil {
		return blocked
	}
	for _, ordinal := range currentOrdinals(a.server) {
		if err := r.disposeOne(ctx, a, ordinal); err != nil {
			return classify("removing a game server from Takaro", err)
		}
	}
	return nil
}

// withdraw removes the intents whose game server did not register. Only a pod registers a game
// server, and all pods have ended. A registration that is still in transit arrives within a few
// seconds.
func (r *reconciler) withdraw(a *attempt) *base.Blocked {
	listed := map[string]bool{}
	for _, row := range a.list.Rows {
		listed[objectOf(row).Reference] = true
	}
	for _, ordinal := range currentOrdinals(a.server) {
		slot := slotOf(a.server, ordinal, a.place.DomainID)
		if record, _ := ledgerOf(a.server).Current(slot); record.State != ownership.Intended || listed[slot.Key] {
			continue
		}
		if left := arriving - r.Clock.Since(a.server.DeletionTimestamp.Time); left > 0 {
			return &base.Blocked{Reason: v1alpha1.ReasonDeleting, RequeueAfter: left, Message: fmt.Sprintf(
				"Pod %s has ended without registering its game server. A registration that it has sent is awaited for %s.",
				podName(a.server, ordinal), arriving)}
		}
		a.server.Status.Ownership.Records = ledgerOf(a.server).Withdraw(slot)
	}
	return nil
}

// disposeOne removes the game server with an ordinal that is recorded in the ledger.
func (r *reconciler) disposeOne(ctx context.Context, a *attempt, ordinal int) error {
	slot := slotOf(a.server, ordinal, a.place.DomainID)
	var deleted []string
	_, err := outside.Dispose(ctx, outside.Object{
		Want:     ownership.Want{Slot: slot, Delete: true, Policy: ownership.PolicyDelete},
		Endpoint: a.State.Endpoint,
		Ledger:   ownedBy(a.server),
		Store:    r.storeStatus(a),
		Observe: func(ctx context.Context, live bool) (ownership.Observed, error) {
			if live {
				if err := r.listAnew(ctx, a); err != nil {
					return ownership.Observed{}, err
				}
			}
			observed, err := r.observeSlot(ctx, a, slot, ledgerOf(a.server))
			observed.Live = live
			return observed, err
		},
		Delete: func(ctx context.Context, id string) error {
			deleted = append(deleted, id)
			return r.deleteGameServer(ctx, a, ordinal, id)
		},
		Now: r.Clock.Now,
	})
	if err != nil {
		return err
	}
	ledger := ledgerOf(a.server)
	for _, id := range deleted {
		ledger = ledger.Forget(slot, id)
		r.absences.Present(id)
	}
	a.server.Status.Ownership.Records = ledger
	return nil
}

// listAnew replaces the attempt's list by one that is started now, unless that was done before and
// nothing was changed since. It fails if the MockServer changed since it was read.
func (r *reconciler) listAnew(ctx context.Context, a *attempt) error {
	if a.listedAnew {
		return nil
	}
	stored := &v1alpha1.MockServer{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(a.server), stored); err != nil {
		return fmt.Errorf("read the object again: %w", err)
	}
	if stored.UID != a.server.UID || stored.ResourceVersion != a.server.ResourceVersion {
		return base.ErrOutdated
	}
	if err := a.State.Confirm(ctx); err != nil {
		return problem.Classify("connecting", err)
	}
	list, err := r.roster.list(ctx, a.place, a.Client, 0)
	if err != nil {
		return err
	}
	a.list, a.listedAnew = list, true
	return nil
}

// deleteGameServer deletes a game server in Takaro. It is renamed first: Takaro keeps the row for
// some time, and would reject the name for the next game server.
func (r *reconciler) deleteGameServer(ctx context.Context, a *attempt, ordinal int, id string) error {
	name := displayName(a.server, ordinal)
	for _, row := range a.list.Rows {
		if row.ID == id {
			name = row.Name
		}
	}
	r.roster.Forget(a.place)
	a.listedAnew = false
	if name != goneName(id) {
		_, err := a.Client.RenameGameServer(ctx, a.place.DomainID, id, goneName(id), identity(a.server, ordinal))
		if err != nil && !takaro.IsNotFound(err) {
			return err
		}
	}
	err := a.Client.DeleteGameServer(ctx, a.place.DomainID, id)
	if err != nil && !takaro.IsNotFound(err) {
		return err
	}
	r.conflicts.forget(id)
	r.silences.forget(id)
	gameServersDeleted.Inc()
	r.noteOne(a, ordinal, eventRemoved, "game server %q was removed from Takaro", name)
	return nil
}
