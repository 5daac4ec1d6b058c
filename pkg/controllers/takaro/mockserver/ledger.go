// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// The kinds of outside objects in the ledger of a MockServer.
const (
	// kindGameServer is a game server in Takaro. Its create key is the identity token with which
	// the pod registers it. The intent is stored before the pod may start.
	kindGameServer = "GameServer"
	// kindState is the state in Redis with the mark: the keys that the pods save, and their login.
	kindState = "SavedState"
)

// ledgerOf returns the records of a MockServer.
func ledgerOf(server *v1alpha1.MockServer) ownership.Ledger {
	if server.Status.Ownership == nil {
		return nil
	}
	return server.Status.Ownership.Records
}

// begun reports whether there may be pods, and therefore game servers in Takaro and keys in Redis.
func begun(server *v1alpha1.MockServer) bool {
	if server.Status.Ownership == nil {
		return begunEarlier(server)
	}
	return len(server.Status.Ownership.Records) > 0
}

// begunEarlier is like begun, for an object that a release without a ledger stored.
func begunEarlier(server *v1alpha1.MockServer) bool {
	return meta.FindStatusCondition(server.Status.Conditions, v1alpha1.ConditionRegistered) != nil
}

// slotOf returns the slot of the game server with an ordinal in a Takaro domain.
func slotOf(server *v1alpha1.MockServer, ordinal int, domainID string) ownership.Slot {
	return ownership.Slot{Kind: kindGameServer, Key: identity(server, ordinal), Parent: domainID}
}

func stateSlot(server *v1alpha1.MockServer) ownership.Slot {
	return ownership.Slot{Kind: kindState, Key: markOf(server)}
}

// currentOrdinals returns the sorted ordinals of the game servers that are held or intended.
func currentOrdinals(server *v1alpha1.MockServer) []int {
	var found []int
	for _, record := range ledgerOf(server) {
		ordinal, ours := ordinalOf(server, record.Key)
		if ours && record.Kind == kindGameServer && record.State != ownership.Lost {
			found = append(found, ordinal)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// recordsOf returns the game servers of a list that the MockServer holds, by ordinal.
func recordsOf(server *v1alpha1.MockServer, list []takaro.GameServer) map[int]takaro.GameServer {
	ordinals := map[string]int{}
	for _, record := range ledgerOf(server) {
		if ordinal, ours := ordinalOf(server, record.Key); ours && record.Kind == kindGameServer && record.State == ownership.Held {
			ordinals[record.ID] = ordinal
		}
	}
	records := map[int]takaro.GameServer{}
	for _, row := range list {
		if ordinal, held := ordinals[row.ID]; held {
			records[ordinal] = row
		}
	}
	return records
}

// objectOf converts a game server for ownership.Decide.
func objectOf(row takaro.GameServer) ownership.Object {
	object := ownership.Object{ID: row.ID, Name: row.Name}
	if row.IdentityToken != nil {
		object.Reference = *row.IdentityToken
	}
	return object
}

// importLedger returns the ledger of a MockServer that a release without a ledger stored. The
// identity contains a hash of the object's UID, so a game server with such an identity was
// registered by its pods.
func importLedger(server *v1alpha1.MockServer, domainID string, list []takaro.GameServer, now time.Time) ownership.Ledger {
	if !begunEarlier(server) {
		return nil
	}
	ledger := ownership.Ledger(nil).Hold(stateSlot(server), markOf(server), ownership.Created, now)
	registered := map[int]bool{}
	for _, row := range list {
		object := objectOf(row)
		ordinal, ours := ordinalOf(server, object.Reference)
		known := slices.ContainsFunc(server.Status.GameServers, func(shown v1alpha1.MockGameServer) bool { return shown.ID == row.ID })
		if ours && known {
			want := ownership.Want{Slot: slotOf(server, ordinal, domainID)}
			ledger = ownership.Import(ledger, want, ownership.Legacy{ID: row.ID}, &object, now)
		}
		registered[ordinal] = registered[ordinal] || ours
	}
	for ordinal := range replicasOf(server) {
		registered[ordinal] = true
	}
	for _, ordinal := range slices.Sorted(maps.Keys(registered)) {
		if _, current := ledger.Current(slotOf(server, ordinal, domainID)); registered[ordinal] && !current {
			ledger = ledger.Intend(slotOf(server, ordinal, domainID), now)
		}
	}
	return ledger
}

// record stores the ledger and verifies that the API server kept it. No pod may start before that.
func (r *reconciler) record(ctx context.Context, a *attempt, ledger ownership.Ledger) *base.Blocked {
	if a.server.Status.Ownership != nil && ledger.Equal(ledgerOf(a.server)) {
		return nil
	}
	if !begun(a.server) {
		begin(a.server)
	}
	if err := outside.StoreLedger(ctx, ownedBy(a.server), ownership.Decision{Ledger: ledger}, r.storeStatus(a)); err != nil {
		return problem.Classify("recording the game servers", err)
	}
	return nil
}

// ownedBy returns a function that returns the ownership in the draft of a MockServer's status, and
// adds it if there is none.
func ownedBy(server *v1alpha1.MockServer) func() *ownership.Status {
	return func() *ownership.Status {
		if server.Status.Ownership == nil {
			server.Status.Ownership = &ownership.Status{}
		}
		return server.Status.Ownership
	}
}

// storeStatus returns a function that writes the draft of the status.
func (r *reconciler) storeStatus(a *attempt) func(context.Context) error {
	return func(ctx context.Context) error { return r.Client.Status().Update(ctx, a.server) }
}
