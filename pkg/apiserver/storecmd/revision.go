// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// minAhead is the minimum difference between the revision of an external etcd and the recorded one.
// The record is up to one tick behind, and a client with a later resourceVersion than etcd would
// never receive an event again.
const minAhead = 100_000

// farEnough reports whether no client can have a resourceVersion that is later than the store. A
// server raises the revision of an embedded etcd automatically.
func farEnough(header storeidentity.InventoryHeader) bool {
	return header.Embedded || header.RecordedRevision == 0 || header.Revision > header.RecordedRevision+minAhead
}

// howToRaise returns the instructions to raise the revision of an external etcd. token is a new token of its cluster.
func howToRaise(header storeidentity.InventoryHeader, token string) string {
	return fmt.Sprintf(`etcd is at revision %d, and the recorded revision is %d. The first must exceed the second by more than %d, because a
client that holds a later resourceVersion than etcd receives no events. A running etcd cannot raise its revision. Restore
it from a snapshot of itself:

  etcdctl --endpoints <endpoints> snapshot save roadstead-etcd.db
  etcdutl snapshot restore roadstead-etcd.db --data-dir <new data folder> \
    --bump-revision 1000000000 --mark-compacted --initial-cluster-token %s

Stop all members before the restore. If there are several, restore each of them, with its --name, --initial-cluster and
--initial-advertise-peer-urls. Start the members with the new data folders, and run accept-store again.`,
		header.Revision, header.RecordedRevision, minAhead, token)
}
