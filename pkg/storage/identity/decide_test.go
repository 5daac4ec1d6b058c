// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// agreed returns what a check reads when everything agrees, of an unbound process.
func agreed() Observed {
	anchor := storeidentity.Anchor{StoreID: "s", Epoch: 3}
	return Observed{
		HostRead: true, StoreRead: true, ClusterUID: "cluster",
		Record:   &storeidentity.Record{Anchor: anchor, Tick: 7, Revision: 100, EtcdClusterID: "e", ClusterUID: "cluster"},
		Anchored: true, Anchor: anchor,
		Store: Store{Marked: true, Anchor: anchor, Nonce: "n", Tick: 7, Revision: 100, EtcdClusterID: "e", Objects: true},
	}
}

func TestDecide(t *testing.T) {
	other := storeidentity.Anchor{StoreID: "o", Epoch: 3}
	raised := storeidentity.Anchor{StoreID: "s", Epoch: 4}
	empty := func(o *Observed) { o.Store = Store{Revision: 1, EtcdClusterID: "e"} }
	for _, c := range []struct {
		name           string
		change         func(*Observed)
		unbound, bound Verdict
	}{
		{"everything agrees", func(*Observed) {}, Verdict{Serving, Bind}, Verdict{Serving, Keep}},
		{"cluster not read", func(o *Observed) { o.HostRead = false }, Verdict{HostUnknown, Wait}, Verdict{HostUnknown, Wait}},
		{"etcd unavailable", func(o *Observed) { o.StoreRead = false }, Verdict{StoreUnreachable, Wait}, Verdict{StoreUnreachable, Wait}},
		{"nonce of the request in the store", func(o *Observed) { o.Nonce, o.Record.Epoch = "n", 2 }, Verdict{Accepting, Continue},
			Verdict{Serving, RewriteRecord}},
		{"nonce of another request", func(o *Observed) { o.Nonce = "m" }, Verdict{Serving, Bind}, Verdict{Serving, Keep}},
		{"record invalid", func(o *Observed) { o.Record, o.RecordInvalid = nil, "bad" }, Verdict{RecordInvalid, Refuse},
			Verdict{Serving, RewriteRecord}},
		{"nothing anywhere", func(o *Observed) { empty(o); o.Record, o.Anchored = nil, false }, Verdict{FirstStart, Begin},
			Verdict{StoreForeign, Exit}},
		{"first start cut short", func(o *Observed) { o.Record, o.Anchored, o.Store.Objects = nil, false, false }, Verdict{FirstStart, Begin},
			Verdict{Serving, CreateRecord}},
		{"record deleted", func(o *Observed) { o.Record = nil }, Verdict{RecordMissing, Refuse}, Verdict{Serving, CreateRecord}},
		{"record deleted, objects but no anchor", func(o *Observed) { o.Record, o.Anchored = nil, false }, Verdict{RecordMissing, Refuse},
			Verdict{Serving, CreateRecord}},
		{"namespace and data deleted, anchor left", func(o *Observed) { empty(o); o.Record = nil }, Verdict{RecordMissing, Refuse},
			Verdict{StoreForeign, Exit}},
		{"unreadable anchor only", func(o *Observed) { empty(o); o.Record, o.Anchor = nil, storeidentity.Anchor{} }, Verdict{RecordMissing,
			Refuse}, Verdict{StoreForeign, Exit}},
		{"other cluster", func(o *Observed) { o.ClusterUID = "rebuilt" }, Verdict{ClusterForeign, Refuse}, Verdict{Serving, RewriteRecord}},
		{"store empty", empty, Verdict{StoreEmpty, Refuse}, Verdict{StoreForeign, Exit}},
		{"store without identity", func(o *Observed) { empty(o); o.Store.Objects = true }, Verdict{StoreUnmarked, Refuse},
			Verdict{StoreForeign, Exit}},
		{"store of another id", func(o *Observed) { o.Store.Anchor = other }, Verdict{StoreForeign, Refuse}, Verdict{StoreForeign, Exit}},
		{"record of another id", func(o *Observed) { o.Record.Anchor = other }, Verdict{StoreForeign, Refuse}, Verdict{StoreForeign, Exit}},
		{"record of a lower epoch and another id", func(o *Observed) { o.Record.StoreID, o.Record.Epoch = "o", 2 }, Verdict{StoreForeign,
			Refuse}, Verdict{Serving, RewriteRecord}},
		{"anchor of the same epoch and another id", func(o *Observed) { o.Anchor = other }, Verdict{StoreForeign,
			Refuse}, Verdict{Serving, Keep}},
		{"store of an earlier epoch", func(o *Observed) { o.Store.Epoch, o.Anchor.Epoch = 2, 2 }, Verdict{StoreOlder, Refuse},
			Verdict{StoreForeign, Exit}},
		{"record raised", func(o *Observed) { o.Record.Anchor = raised }, Verdict{StoreOlder, Refuse}, Verdict{StoreForeign, Exit}},
		{"anchor raised", func(o *Observed) { o.Anchor = raised }, Verdict{StoreOlder, Refuse}, Verdict{Serving, Keep}},
		{"record of an earlier epoch", func(o *Observed) { o.Record.Epoch = 2 }, Verdict{RecordOlder, Refuse}, Verdict{Serving, RewriteRecord}},
		{"other etcd cluster", func(o *Observed) { o.Store.EtcdClusterID = "f" }, Verdict{StoreRestored, Refuse},
			Verdict{Serving, RewriteRecord}},
		{"restored by the command", func(o *Observed) { o.Store.Restored = true }, Verdict{StoreRestored, Refuse}, Verdict{Serving, Keep}},
		{"lower tick, revision grown past", func(o *Observed) { o.Store.Tick, o.Store.Revision = 6, 900 }, Verdict{StoreOlder, Refuse},
			Verdict{Serving, RewriteRecord}},
		{"lower revision", func(o *Observed) { o.Store.Revision = 99 }, Verdict{StoreOlder, Refuse}, Verdict{Serving, RewriteRecord}},
		{"store ahead of the record", func(o *Observed) { o.Store.Tick, o.Store.Revision = 9, 300 },
			Verdict{Serving, Bind}, Verdict{Serving, Keep}},
		{"older for a version without epochs", func(o *Observed) { o.Store.Older = true }, Verdict{StoreOlder, Refuse}, Verdict{Serving, Keep}},
		{"Lease renewed by another holder", func(o *Observed) { o.OtherHolder = true }, Verdict{StoreInUse, Wait}, Verdict{StoreInUse, Exit}},
		{"record and store of a version without epochs", func(o *Observed) {
			o.Record = &storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "s", Epoch: 1}, Revision: 90, ClusterUID: "cluster"}
			o.Store = Store{Marked: true, Legacy: true, Anchor: o.Record.Anchor, Revision: 100, EtcdClusterID: "e", Objects: true}
			o.Anchored, o.Anchor = false, storeidentity.Anchor{}
		}, Verdict{Unchecked, Migrate}, Verdict{StoreForeign, Exit}},
		{"migration cut short before the record", func(o *Observed) {
			first := storeidentity.Anchor{StoreID: "s", Epoch: 1}
			o.Record = &storeidentity.Record{Anchor: first, Revision: 90, ClusterUID: "cluster"}
			o.Store.Anchor, o.Store.Tick, o.Anchored, o.Anchor = first, 1, false, storeidentity.Anchor{}
		}, Verdict{Serving, Bind}, Verdict{StoreForeign, Exit}},
		{"migrated, record not yet", func(o *Observed) { o.Record.EtcdClusterID, o.Record.Tick = "", 0 }, Verdict{Serving, Bind},
			Verdict{Serving, RewriteRecord}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := agreed()
			c.change(&o)
			require.Equal(t, c.unbound, Decide(o), "unbound")
			bound := agreed().Store.Anchor
			o.Bound = &bound
			require.Equal(t, c.bound, Decide(o), "bound")
		})
	}
}

// TestDecide_Total draws every observation that there may be.
func TestDecide_Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, flag := rapid.SampledFrom([]string{"s", "o"}), rapid.Bool()
		small := rapid.Int64Range(0, 3)
		anchor := func(label string) storeidentity.Anchor {
			return storeidentity.Anchor{StoreID: id.Draw(t, label+" id"), Epoch: small.Draw(t, label+" epoch")}
		}
		cluster := rapid.SampledFrom([]string{"e", "f"})
		o := Observed{
			HostRead: flag.Draw(t, "host read"), StoreRead: flag.Draw(t, "store read"), ClusterUID: "cluster",
			Anchored: flag.Draw(t, "anchored"), OtherHolder: flag.Draw(t, "other holder"),
			Nonce: rapid.SampledFrom([]string{"", "n"}).Draw(t, "nonce"),
			Store: Store{Objects: flag.Draw(t, "objects"), Revision: small.Draw(t, "revision"), EtcdClusterID: cluster.Draw(t, "etcd")},
		}
		if o.Anchored {
			o.Anchor = anchor("anchor")
		}
		if flag.Draw(t, "marked") {
			o.Store.Marked, o.Store.Anchor, o.Store.Tick, o.Store.Legacy = true, anchor("store"), small.Draw(t, "tick"), flag.Draw(t, "legacy")
			o.Store.Nonce = rapid.SampledFrom([]string{"", "n"}).Draw(t, "store nonce")
		}
		switch rapid.SampledFrom([]string{"valid", "invalid", "absent"}).Draw(t, "record") {
		case "valid":
			o.Record = &storeidentity.Record{Anchor: anchor("record"), Tick: small.Draw(t, "recorded tick"),
				Revision:      small.Draw(t, "recorded revision"),
				EtcdClusterID: cluster.Draw(t, "recorded etcd"), ClusterUID: types.UID(rapid.SampledFrom([]string{"cluster", "other"}).Draw(t, "uid"))}
		case "invalid":
			o.RecordInvalid = "bad"
		}
		if flag.Draw(t, "bound") {
			bound := anchor("bound")
			o.Bound = &bound
		}
		v := Decide(o)
		require.Contains(t, states, v.State)
		require.NotEmpty(t, Message(v.State, Facts{Observed: o, Namespace: "n"}), "no message may need what was not read")
		if v.Action == Bind {
			require.Equal(t, o.Record.Anchor, o.Store.Anchor)
			require.Equal(t, o.Record.ClusterUID, o.ClusterUID)
			require.Equal(t, o.Record.EtcdClusterID, o.Store.EtcdClusterID)
			require.LessOrEqual(t, o.Record.Tick, o.Store.Tick)
			require.LessOrEqual(t, o.Record.Revision, o.Store.Revision)
			require.LessOrEqual(t, o.Anchor.Epoch, o.Store.Epoch)
			require.False(t, o.OtherHolder || o.Bound != nil)
		}
		if v.Action == Begin {
			require.False(t, o.Store.Objects || o.Anchored || o.Record != nil, "nothing may be overlooked")
		}
		if v.Action == Refuse {
			require.True(t, acceptable(v.State))
		}
		if o.Bound != nil {
			require.NotContains(t, []Action{Refuse, Bind, Begin, Migrate, Continue}, v.Action)
		}
	})
}

func TestFits(t *testing.T) {
	seen := Store{Marked: true, Anchor: storeidentity.Anchor{StoreID: "s", Epoch: 1}, Revision: 10, EtcdClusterID: "e"}
	for name, c := range map[string]struct {
		request storeidentity.Request
		message string
	}{
		"the observed store":   {storeidentity.Request{StoreID: "s", EtcdClusterID: "e", Revision: 10}, ""},
		"it has grown since":   {storeidentity.Request{StoreID: "s", EtcdClusterID: "e", Revision: 9}, ""},
		"another store":        {storeidentity.Request{StoreID: "o", EtcdClusterID: "e", Revision: 10}, "store o"},
		"a new store":          {storeidentity.Request{StoreID: storeidentity.NewStore, EtcdClusterID: "e"}, "store new"},
		"another etcd cluster": {storeidentity.Request{StoreID: "s", EtcdClusterID: "f", Revision: 10}, "etcd cluster f"},
		"another copy, behind": {storeidentity.Request{StoreID: "s", EtcdClusterID: "e", Revision: 11}, "later revision"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fits(c.request, seen)
			if c.message == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.message)
		})
	}
	require.NoError(t, fits(storeidentity.Request{StoreID: storeidentity.NewStore, EtcdClusterID: "e"}, Store{EtcdClusterID: "e"}))
}
