// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"errors"
	"fmt"

	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Facts are the inputs of a message.
type Facts struct {
	Observed
	// Namespace is that of the installation.
	Namespace string
	// Cause is the error that caused the state, if there is one. BadRequest is the reason why a
	// request cannot be read.
	Cause      error
	BadRequest string
	// Left is why the process exits.
	Left error
}

// Message returns the error message of refused requests: what is wrong, and what to do.
func Message(state State, f Facts) string {
	text := fmt.Sprintf("Roadstead does not answer (%s): %s.", state, explain(state, f))
	if acceptable(state) && f.Left == nil {
		text += " Nothing is deleted meanwhile. " + remedy(state) + " To use this store as it is, run as a cluster administrator: " +
			storeidentity.AcceptCommand(acceptID(f.Store), f.Namespace)
		if f.Cause != nil {
			text += ". The request to accept it is pending: " + f.Cause.Error()
		} else if f.BadRequest != "" {
			text += ". The request to accept it cannot be read: " + f.BadRequest
		}
	}
	return text
}

// acceptID returns the id by which a store is accepted.
func acceptID(s Store) string {
	if !s.Marked {
		return storeidentity.NewStore
	}
	return s.StoreID
}

// refusal returns state and message for an error of Secrets.Prepare.
func refusal(err error, f Facts) (State, string) {
	var refused *keeper.RefusedError
	if errors.As(err, &refused) {
		return State(refused.Reason), fmt.Sprintf("Roadstead does not answer (%s): %s", refused.Reason, refused.Message)
	}
	f.Cause = err
	return HostUnknown, Message(HostUnknown, f)
}

func explain(state State, f Facts) string {
	s, r, record := f.Store, storeidentity.Record{}, "ConfigMap "+f.Namespace+"/"+storeidentity.ConfigMapName
	if f.Record != nil {
		r = *f.Record
	}
	if f.Left != nil {
		return fmt.Sprintf("its store is no longer the one that this server uses (%v). The server restarts", f.Left)
	}
	switch state {
	case Unchecked:
		return "its store has not been checked yet, which takes a moment after a start"
	case HostUnknown:
		return fmt.Sprintf("it cannot make sure that its store is still in use: %v. It tries again every few seconds. "+
			"Check kube-apiserver and the rights of ServiceAccount roadstead-apiserver", f.Cause)
	case StoreUnreachable:
		return fmt.Sprintf("etcd is unavailable: %v. It tries again every few seconds. Check etcd and --etcd-servers", f.Cause)
	case FirstStart:
		return "its store is new and is being registered" + because(f.Cause)
	case RecordInvalid:
		return "its store cannot be compared with the record: " + f.RecordInvalid
	case RecordMissing:
		return fmt.Sprintf("%s does not exist, although %s", record, trace(f))
	case ClusterForeign:
		return fmt.Sprintf("its store belongs to another cluster: %s names a namespace kube-system with UID %s, here the UID is %s",
			record, r.ClusterUID, f.ClusterUID)
	case StoreEmpty:
		return fmt.Sprintf("its store is empty, while %s names store %s: the data are lost, or this is the wrong etcd or data folder",
			record, r.Anchor)
	case StoreUnmarked:
		return fmt.Sprintf("its store holds objects and no identity, while %s names store %s", record, r.Anchor)
	case StoreForeign:
		return fmt.Sprintf("its store is %s, while %s names store %s: this is the wrong etcd or data folder", s.Anchor, record, r.Anchor)
	case StoreOlder:
		return fmt.Sprintf("its store %s (tick %d, revision %d) is an older copy: the cluster has seen %s (tick %d, revision %d), and what was "+
			"created since is missing", s.Anchor, s.Tick, s.Revision, latest(f.Anchor, r.Anchor), r.Tick, r.Revision)
	case RecordOlder:
		return fmt.Sprintf("its store is %s, while %s names the earlier %s: the acceptance of the store was not completed, or the ConfigMap "+
			"was restored from a backup", s.Anchor, record, r.Anchor)
	case StoreRestored:
		return fmt.Sprintf("its store %s was restored from a backup or copied: what was created since is missing", s.Anchor)
	case Accepting:
		return fmt.Sprintf("the acceptance of its store %s is being completed%s", s.Anchor, because(f.Cause))
	case StoreInUse:
		return fmt.Sprintf("Lease %s/%s shows that another server uses another copy of the store. Stop that server, or scale to one replica "+
			"if etcd is embedded. This server continues %s after the last renewal",
			f.Namespace, storeidentity.LeaseName, storeidentity.LeaseDuration)
	default:
		return fmt.Sprintf("its store is in state %s", state)
	}
}

// because returns a text with the error that prevents the next state; empty without an error.
func because(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf(", which has failed and is repeated every few seconds: %v", err)
}

// trace returns the evidence that there was a record.
func trace(f Facts) string {
	switch {
	case f.Store.Objects:
		return "the store holds objects: the ConfigMap was deleted, or the store belongs to another installation"
	case f.Anchored:
		return fmt.Sprintf("an APIService names store %s: the ConfigMap was deleted with the namespace", f.Anchor)
	default:
		return "there was one"
	}
}

// latest returns the anchor with the higher epoch.
func latest(a, b storeidentity.Anchor) storeidentity.Anchor {
	if a.Epoch > b.Epoch {
		return a
	}
	return b
}

func remedy(state State) string {
	switch state {
	case RecordMissing, RecordInvalid, RecordOlder:
		return "Restore the ConfigMap from a backup."
	case StoreRestored:
		return "The following command lists what would be deleted."
	case ClusterForeign:
		return "Connect the server to the right cluster."
	default:
		return "Connect the right store, or restore a backup of it."
	}
}
