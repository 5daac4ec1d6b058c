// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// IdentityKey is where the id lies, below the store's prefix.
	IdentityKey = "/__identity"
	// RestoredKey is put by a restore and removed when the restored store is accepted.
	RestoredKey = "/__restored"
	// maxMarks is how many keys there may be right below the prefix that begin with two underscores and are no objects:
	// these two and the one of encryption.
	maxMarks = 3
	// compactionKey is written by every generic API server when it compacts, whether anything has changed or not.
	compactionKey = "compact_rev_key"
)

// store is our side of the bond.
type store struct {
	kv     clientv3.KV
	prefix string
}

// contents is what a check needs of the store, all of one moment.
type contents struct {
	id                string
	objects, restored bool
	revision          int64
	// compactions counts the writes of compaction, which are none of ours.
	compactions int64
}

// look reads with a quorum.
func (s store) look(ctx context.Context) (contents, error) {
	answer, err := s.kv.Txn(ctx).Then(
		clientv3.OpGet(s.prefix+IdentityKey),
		clientv3.OpGet(s.prefix+RestoredKey),
		clientv3.OpGet(s.prefix+"/", clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithLimit(maxMarks+1)),
		clientv3.OpGet(compactionKey),
	).Commit()
	if err != nil {
		return contents{}, fmt.Errorf("reading the store's identity: %w", err)
	}
	found := contents{revision: answer.Header.Revision}
	if kvs := answer.Responses[0].GetResponseRange().Kvs; len(kvs) > 0 {
		found.id = string(kvs[0].Value)
	}
	found.restored = len(answer.Responses[1].GetResponseRange().Kvs) > 0
	for _, kv := range answer.Responses[2].GetResponseRange().Kvs {
		if !strings.HasPrefix(string(kv.Key), s.prefix+"/__") {
			found.objects = true
		}
	}
	if kvs := answer.Responses[3].GetResponseRange().Kvs; len(kvs) > 0 {
		found.compactions = kvs[0].Version
	}
	return found, nil
}

// identity reads only id and revision, with a quorum.
func (s store) identity(ctx context.Context) (id string, revision int64, err error) {
	answer, err := s.kv.Get(ctx, s.prefix+IdentityKey)
	if err != nil {
		return "", 0, err
	}
	if len(answer.Kvs) > 0 {
		id = string(answer.Kvs[0].Value)
	}
	return id, answer.Header.Revision, nil
}

// mark writes an id unless there is one already, and removes the mark of a restore.
func (s store) mark(ctx context.Context, id string) error {
	_, err := s.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(s.prefix+IdentityKey), "=", 0)).
		Then(clientv3.OpPut(s.prefix+IdentityKey, id)).
		Commit()
	if err != nil {
		return fmt.Errorf("writing the store's identity: %w", err)
	}
	if _, err := s.kv.Delete(ctx, s.prefix+RestoredKey); err != nil {
		return fmt.Errorf("removing the mark of a restore: %w", err)
	}
	return nil
}
