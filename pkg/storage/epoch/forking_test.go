// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"pgregory.net/rapid"
)

// world is a bound store that is replaced now and then, with a copy in which unchecked requests have the same
// effects.
type world struct {
	*setup
	twin *store
	// copies are copies of the bound store, oldest first, each with its point on the timeline.
	copies []taken
	// member numbers the stores. answers is the number of the store behind the front.
	member  uint64
	current *store
	// detectable reports whether the current store must not take a write.
	detectable bool
}

type taken struct {
	store *store
	at    Tuple
}

func newWorld(t *rapid.T) *world {
	w := &world{setup: newSetup(t), member: 10}
	w.twin, w.current = w.store.fork(2), w.store
	return w
}

func (w *world) next() uint64 {
	w.member++
	return w.member
}

// both changes the bound store past the checks, and its twin.
func (w *world) both(t *rapid.T, key, value string) {
	put(t, w.store, key, value)
	put(t, w.twin, key, value)
}

func (w *world) takeCopy(t *rapid.T) {
	w.copies = append(w.copies, taken{w.store.fork(w.next()), observe(t, w.store)})
}

// becomeOlder puts a copy behind the front that lacks something this process knows. It may have grown since.
func (w *world) becomeOlder(t *rapid.T) {
	known, _ := w.timeline.Bound()
	var usable []taken
	for _, c := range w.copies {
		if c.at.Tick < known.Tick || c.at.Revision < known.Revision {
			usable = append(usable, c)
		}
	}
	if len(usable) == 0 {
		t.Skip("no copy lacks anything")
	}
	from := rapid.SampledFrom(usable).Draw(t, "copy")
	copied := from.store.fork(w.next())
	w.detectable = from.at.Tick < known.Tick
	if !w.detectable {
		w.become(copied)
		return
	}
	if rapid.Bool().Draw(t, "ticked") {
		// Another server that uses the copy raises its tick, but not past the known one.
		for n := from.at.Tick + 1; n <= known.Tick; n++ {
			put(t, copied, TickKey(prefix), EncodeTick(n))
		}
		// Its last tick can be newer than the known one: then the copy is recognized by the answer only.
		w.detectable = observe(t, copied).TickModRevision < known.TickModRevision
		if observe(t, copied).TickModRevision == known.TickModRevision {
			t.Skip("the copy repeats the same history")
		}
	}
	grow(t, copied, rapid.IntRange(0, 40).Draw(t, "growth"))
	w.detectable = w.detectable && observe(t, copied).TickModRevision < known.TickModRevision
	w.become(copied)
}

// becomeForeign puts a store behind the front that is not a copy, or a copy that was accepted again
// or restored.
func (w *world) becomeForeign(t *rapid.T) {
	var foreign *store
	w.detectable = true
	switch rapid.SampledFrom([]string{"empty", "foreign", "accepted", "restored"}).Draw(t, "foreign") {
	case "empty":
		foreign = newStore(w.next(), w.store.cluster)
	case "foreign":
		foreign = newStore(w.next(), rapid.SampledFrom([]uint64{7, 8}).Draw(t, "cluster"))
		mark(t, foreign, Mark{StoreID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "store"), Epoch: 1, Nonce: "m"}, 1000)
		grow(t, foreign, 40)
	case "accepted":
		foreign = w.store.fork(w.next())
		mark(t, foreign, Mark{StoreID: bound.StoreID, Epoch: 3, Nonce: "m"}, 1000)
	case "restored":
		foreign = w.store.fork(w.next())
		foreign.cluster++
		w.detectable = false
	}
	w.become(foreign)
}

func (w *world) become(other *store) {
	w.current = other
	w.front.swap(other)
}

// request executes one operation. Whatever it returns without an error is what the bound store returns.
func (w *world) request(t *rapid.T) {
	known, _ := w.timeline.Bound()
	op := drawOp(t, known.Revision, 3)
	if changesTwice(op) {
		t.Skip("refused by etcd")
	}
	before := w.current.current()
	answer, err := execute(t.Context(), w.timeline.WithMarks(w.front), op)
	if w.current == w.store {
		require.Equal(t, normal(execute(t.Context(), w.twin, op)), normal(answer, err))
		return
	}
	require.Error(t, err, "store %d answered", w.current.member)
	if w.detectable {
		require.Equal(t, before, w.current.current(), "a write was executed on a foreign store")
	}
}

// check asserts the invariants after each step, and starts again after the store has failed.
func (w *world) check(t *rapid.T) {
	failure := w.timeline.Failure()
	if failure == nil {
		require.Empty(t, w.foreign)
		return
	}
	require.NotSame(t, w.store, w.current, "the bound store failed: %v", failure)
	require.Equal(t, []error{failure}, w.foreign)
	w.become(w.store)
	_, err := w.kv.Get(t.Context(), object)
	require.ErrorIs(t, err, failure)
	*w = *newWorld(t)
}

func TestKV_ForkingTimelines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(map[string]func(*rapid.T){
			"request":        w.request,
			"request again":  w.request,
			"take copy":      w.takeCopy,
			"become older":   w.becomeOlder,
			"become foreign": w.becomeForeign,
			"return":         func(*rapid.T) { w.become(w.store) },
			"write elsewhere": func(t *rapid.T) {
				w.both(t, string(drawKey(t)), "elsewhere")
			},
			"tick": func(t *rapid.T) {
				if w.current != w.store {
					t.Skip("the guard uses the checked client")
				}
				require.True(t, tick(t, w.kv))
				require.False(t, w.timeline.Unconfirmed())
				known, _ := w.timeline.Bound()
				put(t, w.twin, TickKey(prefix), EncodeTick(known.Tick))
			},
			"tick elsewhere": func(t *rapid.T) {
				w.both(t, TickKey(prefix), EncodeTick(observe(t, w.store).Tick+1))
			},
			"": w.check,
		})
	})
}

func TestKV_ConcurrentCallsDuringASwap(t *testing.T) {
	for round := range 20 {
		s := newSetup(t)
		var reported atomic.Int32
		s.timeline.onForeign = func(error) { reported.Add(1) }
		copied := s.store.fork(2)
		require.True(t, tick(t, s.kv))
		grow(t, copied, 1000)
		before := copied.current()
		var wait sync.WaitGroup
		errs := make(chan error, 100)
		for caller := range 8 {
			wait.Go(func() {
				kv := clientv3.NewKVFromKVClient(s.timeline.WithMarks(s.front), nil)
				key := fmt.Sprint(prefix, "/apps/", caller)
				for n := 0; ; n++ {
					if caller == 0 && n == round {
						s.front.swap(copied)
					}
					header, err := callOnce(t, kv, key, n)
					if err != nil {
						errs <- err
						return
					}
					if header.MemberId != s.store.member {
						errs <- fmt.Errorf("store %d answered", header.MemberId)
						return
					}
				}
			})
		}
		wait.Wait()
		close(errs)
		for err := range errs {
			require.ErrorIs(t, err, s.timeline.Failure())
		}
		require.EqualValues(t, 1, reported.Load())
		require.Equal(t, before, copied.current())
	}
}

func callOnce(t *testing.T, kv clientv3.KV, key string, n int) (*pb.ResponseHeader, error) {
	switch n % 4 {
	case 0:
		resp, err := kv.Put(t.Context(), key, "1")
		return (*pb.PutResponse)(resp).GetHeader(), err
	case 1:
		resp, err := kv.Delete(t.Context(), key)
		return (*pb.DeleteRangeResponse)(resp).GetHeader(), err
	case 2:
		resp, err := kv.Txn(t.Context()).If(clientv3.Compare(clientv3.Version(key), "=", 1)).Else(clientv3.OpPut(key, "2")).Commit()
		return (*pb.TxnResponse)(resp).GetHeader(), err
	default:
		resp, err := kv.Get(t.Context(), key)
		return (*pb.RangeResponse)(resp).GetHeader(), err
	}
}
