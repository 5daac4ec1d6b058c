// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"cmp"
	"context"
	"slices"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// maxSteps limits the decisions about one game server that send no request: to record its loss, to
// regain or adopt another one, and to change it.
const maxSteps = 4

// claim decides which game servers in Takaro belong to the MockServer, and for which ones its pods
// may register. It sends no request that changes anything. deploy stores the result.
func (r *reconciler) claim(ctx context.Context, a *attempt) *base.Blocked {
	age := freshLife
	if a.ready {
		age = snapshotLife
	}
	var err error
	if a.list, err = r.roster.list(ctx, a.place, a.Client, age); err != nil {
		return classify("listing the game servers in Takaro", err)
	}
	r.noteReached(a.place, a.server, a.list.Rows)
	now := r.Clock.Now()
	ledger := ledgerOf(a.server)
	if a.server.Status.Ownership == nil {
		ledger = importLedger(a.server, a.place.DomainID, a.list.Rows, now)
	}
	if _, held := ledger.Current(stateSlot(a.server)); !held {
		ledger = ledger.Hold(stateSlot(a.server), markOf(a.server), ownership.Created, now)
	}
	for ordinal := range replicasOf(a.server) {
		d, blocked := r.decide(ctx, a, ordinal, ledger)
		if blocked != nil {
			return blocked
		}
		if d.Verdict != ownership.Act {
			stopped := problem.OfDecision(d)
			if d.Found == "" || d.Found == ownership.FoundUnclear {
				return stopped // the reason concerns the endpoint, and so every game server
			}
			a.stopped = cmp.Or(a.stopped, stopped)
		}
		ledger = d.Ledger
	}
	a.ledger = ledger
	return nil
}

// decide returns the decision about a wanted game server, and the given ledger if nothing needs to
// be recorded. An intent is kept while there is no game server, since a pod may register it at any
// time.
func (r *reconciler) decide(ctx context.Context, a *attempt, ordinal int, ledger ownership.Ledger) (ownership.Decision, *base.Blocked) {
	want := ownership.Want{Slot: slotOf(a.server, ordinal, a.place.DomainID)}
	var d ownership.Decision
	for range maxSteps {
		observed, err := r.observeSlot(ctx, a, want.Slot, ledger)
		if err != nil {
			return d, classify("reading a game server in Takaro", err)
		}
		d = ownership.Decide(want, observed, ledger, a.State.Endpoint, r.Clock.Now())
		if d.Verdict != ownership.Act || !slices.Contains([]ownership.Action{ownership.Adopt, ownership.Regain, ownership.Lose}, d.Action) {
			break
		}
		ledger = d.Ledger
	}
	if record, current := ledger.Current(want.Slot); d.Action == ownership.Create && current && record.State == ownership.Intended {
		d.Ledger = ledger
	}
	return d, nil
}

// observeSlot returns what the attempt's list contains about a game server. A held game server that
// the list lacks is read by its id.
func (r *reconciler) observeSlot(ctx context.Context, a *attempt, slot ownership.Slot, ledger ownership.Ledger) (ownership.Observed,
	error) {
	observed := ownership.Observed{List: observedList(a.list.Rows)}
	held, current := ledger.Current(slot)
	if !current || held.State != ownership.Held {
		return observed, nil
	}
	if slices.ContainsFunc(observed.List.Objects, func(o ownership.Object) bool { return o.ID == held.ID }) {
		r.absences.Present(held.ID)
		return observed, nil
	}
	observed.GoneSince = r.absences.Missing(held.ID, a.list.Taken)
	row, err := a.Client.GetGameServer(ctx, a.place.DomainID, held.ID)
	switch {
	case takaro.IsNotFound(err):
		observed.Reads = []ownership.Read{{ID: held.ID}}
	case err != nil:
		return observed, err
	default:
		object := objectOf(*row)
		observed.Reads = []ownership.Read{{ID: held.ID, Object: &object}}
	}
	return observed, nil
}

// noteReached records which of a MockServer's game servers are unreachable for Takaro.
func (r *reconciler) noteReached(at parts.Place, server *v1alpha1.MockServer, list []takaro.GameServer) {
	var unreachable []string
	for ordinal, record := range recordsOf(server, list) {
		if ordinal < replicasOf(server) && !record.Reachable {
			unreachable = append(unreachable, server.Namespace+"/"+podName(server, ordinal))
		}
	}
	r.limit.note(at.Endpoint, server.UID, replicasOf(server), unreachable)
}

// observedList converts a complete list of game servers for ownership.Decide.
func observedList(rows []takaro.GameServer) *ownership.List {
	list := &ownership.List{Rows: len(rows), Total: len(rows)}
	for _, row := range rows {
		list.Objects = append(list.Objects, objectOf(row))
	}
	return list
}
