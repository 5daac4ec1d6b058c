// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

func TestMark_StoredForm(t *testing.T) {
	require.Equal(t, "/registry/roadstead.dev/__store/epoch", Key(prefix))
	require.Equal(t, "/registry/roadstead.dev/__store/tick", TickKey(prefix))
	key, end := MarksRange(prefix)
	require.Equal(t, "/registry/roadstead.dev/__store/", key)
	require.Equal(t, "/registry/roadstead.dev/__store0", end)
	require.Equal(t, `{"storeID":"a","epoch":2,"nonce":"n"}`, bound.Encode())
	require.Equal(t, "7", EncodeTick(7))
}

func TestParseMark(t *testing.T) {
	for name, test := range map[string]struct {
		value, err string
		want       Mark
	}{
		"as encoded":               {value: bound.Encode(), want: bound},
		"field of a later version": {value: `{"nonce":"n","epoch":2,"storeID":"a","later":1}`, want: bound},
		"no JSON":                  {value: "a/2", err: "invalid epoch"},
		"no store id":              {value: `{"epoch":2}`, err: "storeID is empty"},
		"epoch 0":                  {value: `{"storeID":"a"}`, err: "must be at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			mark, err := ParseMark([]byte(test.value))
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, mark)
		})
	}
}

func TestParseTick(t *testing.T) {
	tick, err := ParseTick([]byte("12"))
	require.NoError(t, err)
	require.EqualValues(t, 12, tick)
	for _, value := range []string{"", "0", "-1", "x", "1.5"} {
		_, err := ParseTick([]byte(value))
		require.ErrorContains(t, err, "invalid tick", value)
	}
}

func TestObserve(t *testing.T) {
	header := &pb.ResponseHeader{ClusterId: 7, Revision: 9}
	tuple, err := Observe(prefix, header, nil)
	require.NoError(t, err)
	require.Equal(t, Tuple{ClusterID: 7, Revision: 9}, tuple)

	kv := func(key, value string, revision int64) *mvccpb.KeyValue {
		return &mvccpb.KeyValue{Key: []byte(key), Value: []byte(value), ModRevision: revision}
	}
	kvs := []*mvccpb.KeyValue{
		kv(Key(prefix), bound.Encode(), 3), kv(prefix+"/__store/later", "?", 4), kv(TickKey(prefix), "5", 8),
	}
	tuple, err = Observe(prefix, header, kvs)
	require.NoError(t, err)
	require.Equal(t, Tuple{Mark: bound, EpochModRevision: 3, Tick: 5, TickModRevision: 8, ClusterID: 7, Revision: 9}, tuple)
	require.Equal(t, "epoch a/2 written at 3, tick 5 written at 8, cluster 7, revision 9", tuple.String())

	for _, broken := range []*mvccpb.KeyValue{kv(Key(prefix), "?", 3), kv(TickKey(prefix), "?", 3)} {
		_, err = Observe(prefix, header, []*mvccpb.KeyValue{broken})
		require.Error(t, err)
	}
}

func TestTuple_Violation(t *testing.T) {
	known := Tuple{Mark: bound, EpochModRevision: 3, Tick: 5, TickModRevision: 8, ClusterID: 7, Revision: 9}
	for name, test := range map[string]struct {
		change func(*Tuple)
		want   string
	}{
		"the same point":       {change: func(*Tuple) {}},
		"a later revision":     {change: func(a *Tuple) { a.Revision = 10 }},
		"a later tick":         {change: func(a *Tuple) { a.Tick, a.TickModRevision, a.Revision = 7, 12, 12 }},
		"another cluster":      {change: func(a *Tuple) { a.ClusterID = 8 }, want: "etcd cluster 8"},
		"no epoch":             {change: func(a *Tuple) { a.Mark = Mark{} }, want: "no epoch"},
		"another store":        {change: func(a *Tuple) { a.Mark.StoreID = "b" }, want: "b/2"},
		"a later epoch":        {change: func(a *Tuple) { a.Mark.Epoch = 3 }, want: "a/3"},
		"another nonce":        {change: func(a *Tuple) { a.Mark.Nonce = "m" }, want: "a/2"},
		"epoch written again":  {change: func(a *Tuple) { a.EpochModRevision = 4 }, want: "written at revision 4"},
		"a lower tick":         {change: func(a *Tuple) { a.Tick, a.Revision = 4, 100 }, want: "tick 4 is below"},
		"no tick":              {change: func(a *Tuple) { a.Tick = 0 }, want: "tick 0 is below"},
		"tick of a copy":       {change: func(a *Tuple) { a.TickModRevision, a.Revision = 9, 100 }, want: "tick 5 was written at"},
		"later tick of a copy": {change: func(a *Tuple) { a.Tick, a.TickModRevision = 6, 8 }, want: "before tick 5"},
		"a lower revision":     {change: func(a *Tuple) { a.Revision = 8 }, want: "revision 8 is below"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := known
			test.change(&answer)
			if test.want == "" {
				require.Empty(t, known.violation(answer))
				return
			}
			require.Contains(t, known.violation(answer), test.want)
		})
	}
}
