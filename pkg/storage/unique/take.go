// SPDX-License-Identifier: Apache-2.0

package unique

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
)

// located is a value of an object, and the location of its record.
type located struct {
	Value
	field *Field
	at    string
}

func (l located) taken(wanted, holder Owner, update bool) *TakenError {
	return &TakenError{Field: l.field.Path, Value: l.Value[len(l.Value)-1], Wanted: wanted, Holder: holder, Update: update}
}

// claim is a value that an object wants.
type claim struct {
	located
	owner  Owner
	record string
	// seen is the revision of the record that may be overwritten; 0: the record does not exist.
	seen int64
}

// values returns the values of all fields of an object.
func (s *Storage) values(obj runtime.Object) (all []located) {
	for i := range s.Fields {
		field := &s.Fields[i]
		for _, value := range field.Values(obj) {
			all = append(all, located{Value: value, field: field, at: s.Records.Path(field.Folder, value.Key())})
		}
	}
	return all
}

// claims returns the claims of values for an object.
func (s *Storage) claims(ctx context.Context, obj runtime.Object, values []located, pending int64) (all []claim, err error) {
	owner, err := s.owner(obj)
	if err != nil {
		return nil, err
	}
	for _, value := range values {
		record, err := s.Records.encode(ctx, value.at, Claim{Key: value.Key(), Owner: owner, Pending: pending})
		if err != nil {
			return nil, err
		}
		all = append(all, claim{located: value, owner: owner, record: record})
	}
	return all, nil
}

func (s *Storage) owner(obj runtime.Object) (Owner, error) {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return Owner{}, err
	}
	return Owner{Resource: s.Records.Kind.String(), Namespace: accessor.GetNamespace(), Name: accessor.GetName(), UID: accessor.GetUID()}, nil
}

// take writes claims, and the operations in with, in one transaction if the object at a path has a
// revision; 0: the object does not exist. It returns errMoved if the object has another revision,
// and a *TakenError if another object has one of the values.
func (s *Storage) take(ctx context.Context, at string, revision int64, claims []claim, with ...clientv3.Op) (int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		compares := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(at), "=", revision)}
		puts, gets := slices.Clone(with), []clientv3.Op{clientv3.OpGet(at, clientv3.WithKeysOnly())}
		for _, claim := range claims {
			compares = append(compares, clientv3.Compare(clientv3.ModRevision(claim.at), "=", claim.seen))
			puts = append(puts, clientv3.OpPut(claim.at, claim.record))
			gets = append(gets, clientv3.OpGet(claim.at))
		}
		// Most values are available, so the first attempt assumes that no record exists.
		answer, err := s.KV.Txn(ctx).If(compares...).Then(puts...).Else(gets...).Commit()
		if err != nil {
			return 0, err
		}
		if answer.Succeeded {
			return answer.Header.Revision, nil
		}
		found, err := ranges(answer, len(gets))
		if err != nil {
			return 0, err
		}
		if now := found[0]; (now == nil) != (revision == 0) || now != nil && now.ModRevision != revision {
			return 0, errMoved
		}
		for i := range claims {
			if err := s.mayOverwrite(ctx, &claims[i], found[i+1], revision != 0); err != nil {
				return 0, err
			}
		}
	}
}

// mayOverwrite records the revision of a record that no other object holds.
func (s *Storage) mayOverwrite(ctx context.Context, claim *claim, record *mvccpb.KeyValue, update bool) error {
	claim.seen = 0
	if record == nil {
		return nil
	}
	holder, err := s.holder(ctx, record)
	if err != nil {
		return err
	}
	if holder != nil && holder.UID != claim.owner.UID {
		return claim.taken(claim.owner, *holder, update)
	}
	claim.seen = record.ModRevision
	return nil
}

// holder returns the owner of the value of a record, or nil if the record does not count. The owner
// is read from etcd after its record.
func (s *Storage) holder(ctx context.Context, record *mvccpb.KeyValue) (*Owner, error) {
	claim, err := s.Records.decode(ctx, record)
	if err != nil {
		return nil, err
	}
	object := s.New()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	accessor.SetNamespace(claim.Namespace)
	accessor.SetName(claim.Name)
	key, err := s.Key(object)
	if err != nil {
		return nil, fmt.Errorf("the owner of a claim: %w", err)
	}
	err = s.Get(ctx, key, storage.GetOptions{}, object)
	if storage.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	revision, err := s.Versioner().ObjectResourceVersion(object)
	if err != nil {
		return nil, err
	}
	owner, err := s.owner(object)
	if err != nil || owner.UID != claim.UID {
		return nil, err
	}
	if claim.Pending > 0 && uint64(claim.Pending) == revision {
		return &owner, nil
	}
	for _, value := range s.values(object) {
		if value.at == string(record.Key) {
			return &owner, nil
		}
	}
	return nil, nil
}

// ranges returns the result of each single-key read in a transaction, nil if the key does not
// exist.
func ranges(answer *clientv3.TxnResponse, want int) ([]*mvccpb.KeyValue, error) {
	if len(answer.Responses) != want {
		return nil, fmt.Errorf("etcd returned %d results for a transaction with %d operations", len(answer.Responses), want)
	}
	found := make([]*mvccpb.KeyValue, want)
	for i, response := range answer.Responses {
		read := response.GetResponseRange()
		if read == nil {
			return nil, errors.New("etcd returned an unexpected result for a read in a transaction")
		}
		if len(read.Kvs) > 0 {
			found[i] = read.Kvs[0]
		}
	}
	return found, nil
}
