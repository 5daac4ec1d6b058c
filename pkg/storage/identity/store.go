// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const (
	// LegacyKey is where versions without epochs keep the store's id, below the prefix. It is still written, so that a
	// replica of such a version serves during an update and after a rollback.
	LegacyKey = "/__identity"
	// RestoredKey is put by the command restore, and deleted when the restored store is accepted.
	RestoredKey = "/__restored"
)

// errChanged means that another process has changed the marks. The next check reads the change.
var errChanged = errors.New("the marks of the store changed meanwhile")

// store reads and writes the marks of the identity in etcd.
type store struct {
	// raw is not checked by the timeline.
	raw    clientv3.KV
	prefix string
}

// contents are the marks of one moment.
type contents struct {
	Store
	// revisions are the modification revisions of the keys of the epoch, the tick and the legacy id, 0 if a key is absent.
	revisions [3]int64
	tuple     epoch.Tuple
}

// look reads everything at one revision, with a quorum.
func (s store) look(ctx context.Context, kv clientv3.KV) (*contents, error) {
	objects := []clientv3.OpOption{clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.prefix + "/")), clientv3.WithKeysOnly(),
		clientv3.WithLimit(1)}
	answer, err := kv.Txn(ctx).Then(
		clientv3.OpGet(epoch.Key(s.prefix)), clientv3.OpGet(epoch.TickKey(s.prefix)),
		clientv3.OpGet(s.prefix+LegacyKey), clientv3.OpGet(s.prefix+RestoredKey),
		// The keys of groups and claims sort after those of the marks.
		clientv3.OpGet(clientv3.GetPrefixRangeEnd(s.prefix+"/__"), objects...),
	).Commit()
	if err != nil {
		return nil, fmt.Errorf("read the identity of the store: %w", err)
	}
	kvs := make([]*mvccpb.KeyValue, len(answer.Responses))
	for n, response := range answer.Responses {
		if found := response.GetResponseRange().Kvs; len(found) > 0 {
			kvs[n] = found[0]
		}
	}
	found := &contents{Store: Store{
		Revision: answer.Header.Revision, EtcdClusterID: strconv.FormatUint(answer.Header.ClusterId, 16),
		Restored: kvs[3] != nil, Objects: kvs[4] != nil,
	}}
	for n := range found.revisions {
		if kvs[n] != nil {
			found.revisions[n] = kvs[n].ModRevision
		}
	}
	return found, found.read(s.prefix, kvs[0], kvs[1], kvs[2], answer.Header.ClusterId)
}

// read sets the contents from the values of the keys.
func (c *contents) read(prefix string, mark, tick, legacy *mvccpb.KeyValue, cluster uint64) error {
	if mark == nil {
		if legacy != nil {
			c.Marked, c.Legacy, c.Anchor = true, true, storeidentity.Anchor{StoreID: string(legacy.Value), Epoch: 1}
		}
		return nil
	}
	value, err := epoch.ParseMark(mark.Value)
	if err != nil {
		return err
	}
	c.Marked, c.Nonce, c.Anchor = true, value.Nonce, anchorOf(value)
	if tick == nil {
		return errors.New("the store has an epoch and no tick")
	}
	if c.Tick, err = epoch.ParseTick(tick.Value); err != nil {
		return err
	}
	header := &pb.ResponseHeader{ClusterId: cluster, Revision: c.Revision}
	c.tuple, err = epoch.Observe(prefix, header, []*mvccpb.KeyValue{mark, tick})
	return err
}

// begin replaces the marks that were read with an epoch. The error is errChanged if they have
// changed in the meantime.
func (s store) begin(ctx context.Context, seen *contents, mark epoch.Mark, tick int64) error {
	var unchanged []clientv3.Cmp
	for n, key := range []string{epoch.Key(s.prefix), epoch.TickKey(s.prefix), s.prefix + LegacyKey} {
		unchanged = append(unchanged, clientv3.Compare(clientv3.ModRevision(key), "=", seen.revisions[n]))
	}
	answer, err := s.raw.Txn(ctx).If(unchanged...).Then(
		clientv3.OpPut(epoch.Key(s.prefix), mark.Encode()),
		clientv3.OpPut(epoch.TickKey(s.prefix), epoch.EncodeTick(tick)),
		clientv3.OpPut(s.prefix+LegacyKey, mark.StoreID),
		clientv3.OpDelete(s.prefix+RestoredKey),
	).Commit()
	if err != nil {
		return fmt.Errorf("write the epoch of the store: %w", err)
	}
	if !answer.Succeeded {
		return errChanged
	}
	return nil
}

// first returns the mark of the first epoch.
func first(seen Store) epoch.Mark {
	id := seen.StoreID
	if id == "" {
		id = uuid.NewString()
	}
	return epoch.Mark{StoreID: id, Epoch: 1, Nonce: uuid.NewString()}
}

// forget compacts everything up to a revision, so that watches that started before the acceptance
// have to list again.
func (s store) forget(ctx context.Context, revision int64) error {
	_, err := s.raw.Compact(ctx, revision, clientv3.WithCompactPhysical())
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return fmt.Errorf("compact the store: %w", err)
	}
	return nil
}
