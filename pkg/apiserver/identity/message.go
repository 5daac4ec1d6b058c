// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// Message is what clients read while a state refuses their requests: what is wrong, and what to do. Cause is the error
// behind a state, if there is one; namespace is the installation's.
func Message(state State, seen Seen, namespace string, cause error) string {
	text := "Roadstead does not answer because its store " + explain(state, seen, namespace, cause) + "."
	if id := acceptable(state, seen); id != "" {
		text += " Nothing is served meanwhile, so nothing is deleted because it looks gone. " + remedy(state) +
			" To go on with the store as it is now, as a cluster administrator: " + AcceptCommand(id, namespace)
	}
	return text
}

// AcceptCommand returns the command line that accepts a store.
func AcceptCommand(id, namespace string) string { return storeidentity.AcceptCommand(id, namespace) }

// acceptable returns the id by which the store can be accepted in a state, "" where there is nothing to accept.
func acceptable(state State, seen Seen) string {
	switch state {
	case StoreEmpty, StoreUnmarked:
		return storeidentity.NewStore
	case RecordDamaged, ClusterForeign:
		if seen.StoreID == "" {
			return storeidentity.NewStore
		}
		return seen.StoreID
	case RecordMissing, StoreForeign, StoreRestored, StoreOlder:
		return seen.StoreID
	default:
		return ""
	}
}

func explain(state State, seen Seen, namespace string, cause error) string {
	record := "ConfigMap " + namespace + "/" + storeidentity.ConfigMapName
	switch state {
	case Unchecked:
		return "has not been checked yet: this takes a moment after a start"
	case StoreUnreachable:
		return fmt.Sprintf("(etcd) cannot be reached: %v. It is tried again every few seconds. Look at etcd, and at --etcd-servers", cause)
	case HostUnreachable:
		return fmt.Sprintf("could not be compared with %s: %v. It is tried again every few seconds. Look at the cluster's API server and at the rights of ServiceAccount roadstead-apiserver", record, cause)
	case FirstStart:
		return fmt.Sprintf("is new and could not be registered in %s: %v. It is tried again every few seconds", record, cause)
	case StoreEmpty:
		return fmt.Sprintf("is empty, while %s says that this cluster uses store %s: its data are lost, or this is the wrong etcd or data folder", record, seen.Record.StoreID)
	case StoreUnmarked:
		return "holds objects, but no identity: its key was deleted, or something else wrote them"
	case RecordMissing:
		return fmt.Sprintf("%s has no record in this cluster: %s is missing, or the store belongs to another cluster", seen.StoreID, record)
	case RecordDamaged:
		return fmt.Sprintf("cannot be compared with its record: %s", seen.Damage)
	case StoreForeign:
		return fmt.Sprintf("is %s, while %s says that this cluster uses store %s: this is the wrong etcd or data folder", seen.StoreID, record, seen.Record.StoreID)
	case ClusterForeign:
		return fmt.Sprintf("belongs to another cluster: by %s its namespace kube-system has UID %s, here it is %s. The cluster was rebuilt, or this is the wrong one", record, seen.Record.ClusterUID, seen.ClusterUID)
	case StoreRestored:
		return fmt.Sprintf("%s was restored from a backup: what was made since the backup is missing in it", seen.StoreID)
	case StoreOlder:
		return fmt.Sprintf("%s is an older copy: it came back at a lower revision than it had reached (recorded: %d, now: %d), so what was made since is missing in it", seen.StoreID, seen.Record.Revision, seen.Revision)
	default:
		return fmt.Sprintf("is in state %s", state)
	}
}

func remedy(state State) string {
	switch state {
	case RecordMissing, RecordDamaged:
		return "Restore the ConfigMap from a backup."
	case StoreRestored:
		return "The command below lists what would be deleted."
	case ClusterForeign:
		return "Connect the server with the right cluster."
	default:
		return "Connect the right store, or restore a backup of it."
	}
}
