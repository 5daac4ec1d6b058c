// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const system = "roadstead-system"

// older is the header of an older copy of the store that record describes.
var older = storeidentity.InventoryHeader{
	StoreID: "s", Epoch: 2, Tick: 7, Revision: 500_000, EtcdClusterID: "e", State: "StoreOlder", RecordedRevision: 300_000,
}

var record = storeidentity.Record{
	Anchor: storeidentity.Anchor{StoreID: "s", Epoch: 2}, Tick: 9, Revision: 300_000, EtcdClusterID: "e", ClusterUID: "c",
}

func lease(holder string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: storeidentity.LeaseName},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holder), RenewTime: ptr.To(metav1.NewMicroTime(time.Unix(1000, 0)))},
	}
}

// run runs the command against a cluster and returns its output.
func (c *cluster) accept(change func(*accept)) (string, error) {
	var out bytes.Buffer
	a := &accept{
		namespace: system, id: "s", reason: "volume lost", timeout: 10 * time.Second,
		leaseDuration: 50 * time.Millisecond, poll: time.Millisecond, out: &out,
	}
	if change != nil {
		change(a)
	}
	err := a.accept(c.t.Context(), c.client, c.inspection())
	return out.String(), err
}

func TestAcceptStore(t *testing.T) {
	yes := func(a *accept) { a.yes = true }
	id := func(id string) func(*accept) { return func(a *accept) { a.id = id } }
	brief := func(a *accept) { a.timeout = 100 * time.Millisecond }
	for name, test := range map[string]struct {
		prepare func(*cluster)
		flags   func(*accept)
		// err is empty if the store is accepted; output is part of what is printed.
		err, output string
	}{
		"nothing is missing": {output: "All owners of the objects in this cluster are in the store."},
		"a server uses the store": {
			prepare: func(c *cluster) { c.header.State = storeidentity.StateServing }, err: "there is nothing to accept",
		},
		"another id":              {flags: id("other"), err: `--id is "other", but the server observes store "s"`},
		"new, but there is an id": {flags: id("new"), err: `--id is "new", but the server observes store "s"`},
		"an id, but there is none": {
			prepare: func(c *cluster) { c.header.StoreID = "" }, err: `--id is "s", but the server observes store "new"`,
		},
		"a store without an id":     {prepare: func(c *cluster) { c.header.StoreID = "" }, flags: id("new")},
		"replaced during the check": {prepare: func(c *cluster) { c.replaced = true }, err: `the server observes store "another"`},
		"the Lease is renewed":      {prepare: func(c *cluster) { c.renewed(lease("pod-0:/data")) }, err: "pod-0:/data renews the Lease"},
		"the Lease is released": {
			prepare: func(c *cluster) { c.add(lease("")) },
			flags:   func(a *accept) { a.leaseDuration = time.Hour },
		},
		"the Lease is not renewed": {
			prepare: func(c *cluster) { c.add(lease("pod-0:/data")) }, output: "Its holder does not use the store any more.",
		},
		"a dependent would be deleted": {
			prepare: func(c *cluster) { c.owner = "lost" },
			err:     "nothing was changed; to continue nevertheless, add --yes",
			output:  "Domain team/arena (UID lost)\n    secrets team/root\n",
		},
		"it may be deleted": {prepare: func(c *cluster) { c.owner = "lost" }, flags: yes, output: "secrets team/root\n"},
		"the owner cannot be read": {
			prepare: func(c *cluster) { c.objects[0].Error = "no seed" },
			err:     "nothing was changed",
			output: "Objects in the store that cannot be read, and count as missing: 1. " +
				"One of them is domains.takaro.roadstead.dev team/arena: no seed.",
		},
		"the inventory is cut off": {prepare: func(c *cluster) { c.cut = true }, flags: yes, err: storeidentity.ErrInventoryIncomplete.Error()},
		"no inventory":             {prepare: func(c *cluster) { c.absent = true }, err: "Check the APIServices: kubectl get apiservices"},
		"the revision is too low": {
			prepare: func(c *cluster) { c.header.Revision = c.header.RecordedRevision + minAhead },
			err:     "the revision of etcd is too low",
			output:  "--bump-revision 1000000000 --mark-compacted --initial-cluster-token roadstead-",
		},
		"too low, but embedded": {prepare: func(c *cluster) { c.header.Revision, c.header.Embedded = 1, true }},
		"too low, but nothing is recorded": {
			prepare: func(c *cluster) { c.header.Revision, c.header.RecordedRevision = 1, 0; c.data(nil) },
		},
		"an invalid record": {prepare: func(c *cluster) { c.data(map[string]string{storeidentity.StoreIDKey: ""}) }},
		"another request": {
			prepare: func(c *cluster) { c.pending(storeidentity.Request{Nonce: "n", StoreID: "other", EtcdClusterID: "e"}) },
			err: "to accept store other of etcd cluster e (). To remove the request, run: kubectl patch configmap roadstead-store-identity " +
				`-n roadstead-system --type=json -p '[{"op":"remove","path":"/data/request"}]'`,
		},
		"an invalid request": {
			prepare: func(c *cluster) { c.data(map[string]string{storeidentity.RequestKey: "x"}) },
			err:     "kubectl patch configmap",
		},
		"the request of an earlier run": {
			prepare: func(c *cluster) { c.pending(storeidentity.Request{Nonce: "n", StoreID: "s", EtcdClusterID: "e"}) },
		},
		"no server takes the request": {
			prepare: func(c *cluster) { c.idle = true }, flags: brief,
			err: "no server has processed the request; the server observes store s, epoch 2, at revision 500000, in state StoreOlder. " +
				"Message of the server: its store is older",
		},
		"the request is removed only": {
			prepare: func(c *cluster) { c.ignores = true }, flags: brief, err: "the record is still of epoch 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, older, record)
			if test.prepare != nil {
				test.prepare(c)
			}
			output, err := c.accept(test.flags)
			require.Contains(t, output, test.output)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				require.Empty(t, c.events())
				require.False(t, c.served())
				return
			}
			require.NoError(t, err)
			require.True(t, c.served())
			require.Contains(t, output, "epoch 3.")
			require.Equal(t, []string{"Store " + c.header.StoreID + " was accepted as epoch 3: volume lost"}, c.events())
		})
	}
}

// The API of the server would still list the Domain from a watch cache of a store that no longer
// exists.
func TestAcceptStore_ListsDependentsFromEtcd(t *testing.T) {
	c := newCluster(t, older, record)
	c.objects = nil
	output, err := c.accept(nil)
	require.ErrorContains(t, err, "nothing was changed")
	require.Contains(t, output, "Domain team/arena (UID here)\n    secrets team/root\n")
	require.NotContains(t, c.paths, "/apis/takaro.roadstead.dev/v1alpha1/domains", "what is stored is read from the inventory only")
}

func TestAcceptStore_WithdrawsRequest(t *testing.T) {
	for name, prepare := range map[string]func(*cluster){
		"with a record":    func(*cluster) {},
		"without a record": func(c *cluster) { c.data(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, older, record)
			prepare(c)
			c.idle = true
			before, _ := c.source()
			_, err := c.accept(func(a *accept) { a.timeout = 100 * time.Millisecond })
			require.ErrorContains(t, err, "the store was not accepted within 100ms")
			require.NotEmpty(t, c.requested, "it was requested")
			after, _ := c.source()
			require.Equal(t, before, after, "a request that nobody expects any more must not be fulfilled later")
		})
	}
}

func TestAcceptStore_Interrupted(t *testing.T) {
	c := newCluster(t, older, record)
	c.idle = true
	ctx, cancel := context.WithCancel(t.Context())
	c.whenRequested = cancel
	a := &accept{namespace: system, id: "s", reason: "r", timeout: time.Hour, poll: time.Millisecond, out: &bytes.Buffer{}}
	require.ErrorIs(t, a.accept(ctx, c.client, c.inspection()), context.Canceled)
	data, _ := c.source()
	require.NotContains(t, data, storeidentity.RequestKey)
}

func TestAcceptStore_OnlyOwnRequestIsWithdrawn(t *testing.T) {
	c := newCluster(t, older, record)
	c.idle = true
	c.whenRequested = func() {
		c.pending(storeidentity.Request{Nonce: "other", StoreID: "s", EtcdClusterID: "e", Reason: "mine"})
	}
	_, err := c.accept(nil)
	require.ErrorContains(t, err, "the request was replaced by another one (mine)")
	data, _ := c.source()
	require.Contains(t, data[storeidentity.RequestKey], "other")
}

func TestAcceptStore_ChangeMeanwhile(t *testing.T) {
	c := newCluster(t, older, record)
	c.conflicts = 2
	_, err := c.accept(nil)
	require.NoError(t, err)
	c = newCluster(t, older, record)
	c.forbidden = true
	_, err = c.accept(nil)
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}
