// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/registry/etcdstore"
)

// Owner is the object that holds or wants a claim.
type Owner struct {
	Resource  string    `json:"resource"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
}

// Claim is the record of a unique value. It counts only while its owner exists.
type Claim struct {
	Key string `json:"key"`
	Owner
	Time time.Time `json:"time"`
}

// ClaimedError says that another object holds the value.
type ClaimedError struct {
	Holder Owner
}

// Error names the holder; show it only to callers who may get that object.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("claimed by %s %s/%s", e.Holder.Resource, e.Holder.Namespace, e.Holder.Name)
}

// OwnerExists tells by a quorum read whether the very object (same UID) is stored.
type OwnerExists func(ctx context.Context, owner Owner) (bool, error)

// Claims makes values unique across objects, atomically in etcd. Admission cannot do this: it runs before validation, on
// dry run, and again on every retry, so it must not take locks.
//
// A claim is stored with its object in one transaction, where its value is free. Where there is a record of the value, or
// the storage cannot do that, the claim is taken by Take before the object is stored. If the object then is not stored, the
// caller frees the claim; if the caller dies in between, the claim has no owner and is free to take once it is older than
// Patience.
type Claims struct {
	// Client reaches the store's etcd.
	Client *clientv3.Client
	// Prefix is the store's prefix, for example /registry/roadstead.dev.
	Prefix string
	// Patience is how long a claim without owner is respected: twice the request time-out, since a request in flight
	// may still store its object.
	Patience time.Duration
	// Clock tells the time.
	Clock clock.PassiveClock
	// Transformer encrypts the records: values such as e-mail addresses are in them.
	Transformer value.Transformer
}

// freeTimeout bounds the clean-up after a request that may already be over.
const freeTimeout = 5 * time.Second

// Path is the etcd key of the claim of a value; kind is <group>/<plural>.
func (c *Claims) Path(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return path.Join(c.Prefix, ClaimsFolder, kind, hex.EncodeToString(sum[:]))
}

// beside gives the claim of a value as a record to be stored with its owner.
func (c *Claims) beside(ctx context.Context, kind, key string, owner Owner, otherwise func(context.Context) error) (*etcdstore.Beside, error) {
	at := c.Path(kind, key)
	record, err := c.encode(ctx, at, Claim{Key: key, Owner: owner, Time: c.Clock.Now().UTC()})
	if err != nil {
		return nil, err
	}
	return &etcdstore.Beside{Key: at, Value: record, Otherwise: otherwise}, nil
}

// Take claims key for owner, or returns a *ClaimedError. kind separates the claims of different fields. With dryRun it
// only looks. Taking what owner already holds succeeds.
func (c *Claims) Take(ctx context.Context, kind, key string, owner Owner, exists OwnerExists, dryRun bool) error {
	at := c.Path(kind, key)
	// Most values are free: with this as the first guess one request to the store does.
	var record *mvccpb.KeyValue
	if dryRun {
		response, err := c.Client.Get(ctx, at)
		if err != nil {
			return fmt.Errorf("reading claim: %w", err)
		}
		if len(response.Kvs) == 0 {
			return nil
		}
		record = response.Kvs[0]
	}
	for {
		revision := int64(0) // absent
		if record != nil {
			revision = record.ModRevision
			held, err := c.holds(ctx, record, owner, exists)
			if err != nil || held || dryRun {
				return err
			}
		}
		taken, now, err := c.swap(ctx, at, revision, Claim{Key: key, Owner: owner, Time: c.Clock.Now().UTC()})
		if err != nil || taken {
			return err
		}
		// Somebody has it, or was faster.
		record = now
	}
}

// holds reports whether owner itself has the claim; a *ClaimedError says that somebody else has it. Neither means that
// it is free.
func (c *Claims) holds(ctx context.Context, record *mvccpb.KeyValue, owner Owner, exists OwnerExists) (bool, error) {
	claim, err := c.decode(ctx, record)
	if err != nil {
		return false, err
	}
	if claim.UID == owner.UID {
		return true, nil
	}
	if c.Clock.Since(claim.Time) < c.Patience {
		return false, &ClaimedError{Holder: claim.Owner}
	}
	found, err := exists(ctx, claim.Owner)
	if err != nil {
		return false, fmt.Errorf("looking for the holder of a claim: %w", err)
	}
	if found {
		return false, &ClaimedError{Holder: claim.Owner}
	}
	return false, nil
}

// swap writes a claim over the record of a revision. Where that is not the record any more it gives the one that is there
// now, nil for none.
func (c *Claims) swap(ctx context.Context, at string, revision int64, claim Claim) (taken bool, now *mvccpb.KeyValue, err error) {
	record, err := c.encode(ctx, at, claim)
	if err != nil {
		return false, nil, err
	}
	response, err := c.Client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(at), "=", revision)).
		Then(clientv3.OpPut(at, record)).
		Else(clientv3.OpGet(at)).
		Commit()
	if err != nil {
		return false, nil, fmt.Errorf("writing claim: %w", err)
	}
	if !response.Succeeded {
		if found := response.Responses[0].GetResponseRange().Kvs; len(found) > 0 {
			now = found[0]
		}
	}
	return response.Succeeded, now, nil
}

// Free gives up the claim of owner; that of anybody else stays. It outlives ctx, since it often runs when the request is
// over. An error may be ignored: the claim then frees itself after Patience.
func (c *Claims) Free(ctx context.Context, kind, key string, owner Owner) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeTimeout)
	defer cancel()
	at := c.Path(kind, key)
	response, err := c.Client.Get(ctx, at)
	if err != nil {
		return fmt.Errorf("reading claim: %w", err)
	}
	if len(response.Kvs) == 0 {
		return nil
	}
	claim, err := c.decode(ctx, response.Kvs[0])
	if err != nil {
		return err
	}
	if claim.UID != owner.UID {
		return nil
	}
	_, err = c.Client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(at), "=", response.Kvs[0].ModRevision)).
		Then(clientv3.OpDelete(at)).
		Commit()
	if err != nil {
		return fmt.Errorf("deleting claim: %w", err)
	}
	return nil
}
