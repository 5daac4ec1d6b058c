// SPDX-License-Identifier: Apache-2.0

package pages_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/storage/pages"
)

// memory answers as etcd does, except that an error is the answer to the call number failAt.
type memory struct {
	clientv3.KV
	keys   []string
	calls  []clientv3.Op
	failAt int
}

var errAnswer = errors.New("no answer")

func (m *memory) Get(_ context.Context, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	op := clientv3.OpGet(key, options...)
	m.calls = append(m.calls, op)
	if len(m.calls) == m.failAt {
		return nil, errAnswer
	}
	answer := &clientv3.GetResponse{}
	for _, stored := range m.keys {
		if stored < key || stored >= string(op.RangeBytes()) {
			continue
		}
		if int64(len(answer.Kvs)) == op.Limit() {
			answer.More = true
			break
		}
		answer.Kvs = append(answer.Kvs, &mvccpb.KeyValue{Key: []byte(stored)})
	}
	return answer, nil
}

// read returns the keys of each page, joined, and the error that ended them.
func read(t *testing.T, sequence func(yield func(*clientv3.GetResponse, error) bool)) (found []string, err error) {
	t.Helper()
	for page, failed := range sequence {
		require.NoError(t, err, "an error is the last element")
		if failed != nil {
			require.Nil(t, page)
			err = failed
			continue
		}
		var keys []string
		for _, stored := range page.Kvs {
			keys = append(keys, string(stored.Key))
		}
		found = append(found, strings.Join(keys, " "))
	}
	return found, err
}

func TestAll_PagesOfOnePrefix(t *testing.T) {
	kv := &memory{keys: []string{"/a", "/b/1", "/b/1\x00", "/b/2", "/b/3", "/b/4", "/c"}}
	found, err := read(t, pages.All(t.Context(), kv, "/b/", pages.Fixed(2), clientv3.WithRev(7)))
	require.NoError(t, err)
	require.Equal(t, []string{"/b/1 /b/1\x00", "/b/2 /b/3", "/b/4"}, found)
	for _, call := range kv.calls {
		require.EqualValues(t, 7, call.Rev())
		require.EqualValues(t, 2, call.Limit())
	}
}

func TestAll_LimitOfEachPage(t *testing.T) {
	kv := &memory{keys: []string{"/b/1", "/b/2", "/b/3", "/b/4", "/b/5", "/b/6"}}
	double := func(last *clientv3.GetResponse) int64 {
		if last == nil {
			return 1
		}
		return 2 * int64(len(last.Kvs))
	}
	found, err := read(t, pages.All(t.Context(), kv, "/b/", double))
	require.NoError(t, err)
	require.Equal(t, []string{"/b/1", "/b/2 /b/3", "/b/4 /b/5 /b/6"}, found)
}

func TestAll_EmptyRange(t *testing.T) {
	found, err := read(t, pages.All(t.Context(), &memory{keys: []string{"/a", "/c"}}, "/b/", pages.Fixed(2)))
	require.NoError(t, err)
	require.Equal(t, []string{""}, found)
}

func TestAll_ErrorEndsTheSequence(t *testing.T) {
	kv := &memory{keys: []string{"/b/1", "/b/2", "/b/3"}, failAt: 2}
	found, err := read(t, pages.All(t.Context(), kv, "/b/", pages.Fixed(1)))
	require.ErrorIs(t, err, errAnswer)
	require.Equal(t, []string{"/b/1"}, found)
	require.Len(t, kv.calls, 2)
}

func TestAll_ReadsNoFurtherThanTheCaller(t *testing.T) {
	kv := &memory{keys: slices.Repeat([]string{"/b/1"}, 3)}
	for _, err := range pages.All(t.Context(), kv, "/b/", pages.Fixed(1)) {
		require.NoError(t, err)
		break
	}
	require.Len(t, kv.calls, 1)
}
