// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"bytes"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Tuple is what identifies a point on the timeline of a store.
type Tuple struct {
	// Mark is the value of the epoch key, the zero value if there is none. EpochModRevision is the revision at which
	// the key was written, which two stores with the same mark need not share.
	Mark             Mark
	EpochModRevision int64
	// value is the epoch as it is stored, which a later release may encode in another way. "" is as Mark encodes it.
	value string
	// Tick is 0 if there is none. TickModRevision is the revision at which it was written: each tick is written once.
	Tick            int64
	TickModRevision int64
	// ClusterID is the id of the etcd cluster.
	ClusterID uint64
	// Revision is that of the store at this point.
	Revision int64
}

// String describes the point for messages.
func (t Tuple) String() string {
	mark := "no epoch"
	if t.Mark != (Mark{}) {
		mark = fmt.Sprintf("epoch %s written at %d", t.Mark, t.EpochModRevision)
	}
	return fmt.Sprintf("%s, tick %d written at %d, cluster %x, revision %d", mark, t.Tick, t.TickModRevision, t.ClusterID, t.Revision)
}

// Observe returns the point that an answer of etcd shows. The keys are those in MarksRange of the prefix; others are
// ignored.
func Observe(prefix string, header *pb.ResponseHeader, kvs []*mvccpb.KeyValue) (Tuple, error) {
	return newMarks(prefix).observe(header, kvs, nil, Mark{})
}

// violation returns how an answer contradicts what was known before its request was sent, or "". Anything that
// happened on the same timeline since is accepted.
func (t Tuple) violation(answer Tuple) string {
	switch {
	case answer.ClusterID != t.ClusterID:
		return fmt.Sprintf("etcd cluster %x is not the bound cluster %x", answer.ClusterID, t.ClusterID)
	case answer.Mark == Mark{}:
		return "the store has no epoch"
	case answer.Mark != t.Mark:
		return fmt.Sprintf("epoch %s is not the bound epoch %s", answer.Mark, t.Mark)
	case answer.EpochModRevision != t.EpochModRevision:
		return fmt.Sprintf("the epoch was written at revision %d, not at %d", answer.EpochModRevision, t.EpochModRevision)
	case answer.Tick < t.Tick:
		return fmt.Sprintf("tick %d is below the known tick %d", answer.Tick, t.Tick)
	case answer.Tick == t.Tick && answer.TickModRevision != t.TickModRevision:
		return fmt.Sprintf("tick %d was written at revision %d, not at %d", answer.Tick, answer.TickModRevision, t.TickModRevision)
	case answer.Tick > t.Tick && answer.TickModRevision <= t.TickModRevision:
		return fmt.Sprintf("tick %d was written before tick %d", answer.Tick, t.Tick)
	case answer.Revision < t.Revision:
		return fmt.Sprintf("revision %d is below the known revision %d", answer.Revision, t.Revision)
	}
	return ""
}

// marks are the keys of a store's marks, and what requests need to read and protect them.
type marks struct {
	objects, folder    []byte
	epochKey, tickKey  []byte
	read               *pb.RequestOp
	rangeKey, rangeEnd []byte
}

func newMarks(prefix string) *marks {
	key, end := MarksRange(prefix)
	m := &marks{
		objects: []byte(prefix + "/"), folder: []byte(key), epochKey: []byte(Key(prefix)), tickKey: []byte(TickKey(prefix)),
		rangeKey: []byte(key), rangeEnd: []byte(end),
	}
	// Requests share this value: neither the client nor the member changes a request.
	m.read = rangeOp(&pb.RangeRequest{Key: m.rangeKey, RangeEnd: m.rangeEnd})
	return m
}

// observe does what Observe does. A stored epoch that is equal to the value is not parsed again: it is that mark.
func (m *marks) observe(header *pb.ResponseHeader, kvs []*mvccpb.KeyValue, value []byte, mark Mark) (Tuple, error) {
	tuple := Tuple{ClusterID: header.GetClusterId(), Revision: header.GetRevision()}
	var err error
	for _, kv := range kvs {
		switch {
		case bytes.Equal(kv.Key, m.epochKey):
			tuple.EpochModRevision, tuple.Mark = kv.ModRevision, mark
			if !bytes.Equal(kv.Value, value) {
				if tuple.Mark, err = ParseMark(kv.Value); err != nil {
					return tuple, err
				}
				if stored := string(kv.Value); stored != tuple.Mark.Encode() {
					tuple.value = stored
				}
			}
		case bytes.Equal(kv.Key, m.tickKey):
			tuple.TickModRevision = kv.ModRevision
			if tuple.Tick, err = ParseTick(kv.Value); err != nil {
				return tuple, err
			}
		}
	}
	return tuple, nil
}

// within reports whether the key is in the range of a request, in etcd's notation: no end is a single key, an end of
// one zero byte is everything from the key.
func within(key, start, end []byte) bool {
	switch {
	case len(end) == 0:
		return bytes.Equal(key, start)
	case len(end) == 1 && end[0] == 0:
		return bytes.Compare(start, key) <= 0
	}
	return bytes.Compare(start, key) <= 0 && bytes.Compare(key, end) < 0
}

func rangeOp(request *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: request}}
}
