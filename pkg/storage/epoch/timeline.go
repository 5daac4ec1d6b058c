// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"cmp"
	"context"
	"errors"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Timeline is the only source of truth about which store this process uses. It begins unbound. Bind sets the store,
// Open lets all callers use it. The first answer that is not of the bound store fails the Timeline for good.
type Timeline struct {
	marks     *marks
	onForeign func(error)
	// bound and opened are closed by Bind and Open, failed by the first failure.
	bound, opened, failed chan struct{}

	mu     sync.Mutex
	isOpen bool
	// reach ends when etcd becomes unavailable; away is the cause.
	reach context.Context
	away  context.CancelFunc
	// known is the bound store at the newest point that this process knows, the zero value before Bind.
	known Tuple
	// value is the epoch as Bind encodes it, epochCompares hold while the store has the bound epoch. Neither changes.
	value         []byte
	epochCompares [2]*pb.Compare
	// written is the highest revision at which this process may have changed an object. The revisions of writes without
	// an answer are unknown: doubts counts these writes, settled those of them that written covers.
	written         int64
	doubts, settled int
	failure         *ForeignError
}

// view is what is known when a call begins.
type view struct {
	Tuple
	// doubts is how many writes had ended without an answer.
	doubts int
}

// New returns an unbound Timeline of the store whose objects are below the prefix. onForeign is called at most once,
// with the *ForeignError. It is called during a caller's request, so it must not wait for requests to end.
func New(prefix string, onForeign func(error)) *Timeline {
	t := &Timeline{
		marks: newMarks(prefix), onForeign: onForeign,
		bound: make(chan struct{}), opened: make(chan struct{}), failed: make(chan struct{}),
	}
	t.reach, t.away = context.WithCancel(context.Background())
	return t
}

// Bind sets the store. It writes nothing: a full etcd can be bound. Objects written since the observed tick count as
// unconfirmed, because the process that wrote them may not have lived to confirm them.
func (t *Timeline) Bind(observed Tuple) error {
	switch {
	case observed.Mark == Mark{} || observed.EpochModRevision < 1:
		return errors.New("bind the store: it has no epoch")
	case observed.Tick < 1 || observed.TickModRevision < 1:
		return errors.New("bind the store: it has no tick")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known != (Tuple{}) {
		return errors.New("bind the store: it is already bound")
	}
	t.known, t.written, t.value = observed, observed.Revision, []byte(cmp.Or(observed.value, observed.Mark.Encode()))
	// The value is compared as well, because another store may have written its epoch at the same
	// revision. The nonce differs for each epoch.
	t.epochCompares = [2]*pb.Compare{{
		Key: t.marks.epochKey, Target: pb.Compare_MOD, Result: pb.Compare_EQUAL,
		TargetUnion: &pb.Compare_ModRevision{ModRevision: observed.EpochModRevision},
	}, {
		Key: t.marks.epochKey, Target: pb.Compare_VALUE, Result: pb.Compare_EQUAL, TargetUnion: &pb.Compare_Value{Value: t.value},
	}}
	close(t.bound)
	return nil
}

// Open lets all callers use the bound store. Calling it again has no effect.
func (t *Timeline) Open() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == (Tuple{}) {
		return errors.New("open the store: it is not bound")
	}
	if !t.isOpen {
		t.isOpen = true
		close(t.opened)
	}
	return nil
}

// Bound returns the bound store at the newest point that this process knows, and whether a store is bound.
func (t *Timeline) Bound() (Tuple, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known, t.known != (Tuple{})
}

// Unconfirmed reports whether this process may have changed objects since the newest tick that it knows.
func (t *Timeline) Unconfirmed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written > t.known.TickModRevision || t.doubts > t.settled
}

// Failure returns why the store must not be used any more, or nil.
func (t *Timeline) Failure() *ForeignError {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure
}

// admit waits until the gate (bound or opened) is closed, and returns what is known before the call.
func (t *Timeline) admit(ctx context.Context, gate <-chan struct{}) (view, error) {
	select {
	case <-gate:
	default:
		if err := t.wait(ctx, gate); err != nil {
			return view{}, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure != nil {
		return view{}, t.failure
	}
	return view{t.known, t.doubts}, nil
}

// wait has no time limit other than that of the call: caches that start before the store is in use
// would log an error for each attempt.
func (t *Timeline) wait(ctx context.Context, gate <-chan struct{}) error {
	select {
	case <-gate:
		return nil
	case <-t.failed:
		return nil
	case <-ctx.Done():
		return ErrUnbound
	}
}

// confirm returns an error unless a response is of the bound timeline. Otherwise it updates what is
// known. If the request changed the store, the revision of the store was one lower before.
func (t *Timeline) confirm(before view, header *pb.ResponseHeader, kvs []*mvccpb.KeyValue, changed bool) error {
	answer, err := t.marks.observe(header, kvs, t.value, before.Mark)
	if err != nil {
		return t.fail(before.Tuple, answer, err.Error())
	}
	found := answer
	if changed {
		found.Revision--
	}
	if reason := before.violation(found); reason != "" {
		return t.fail(before.Tuple, found, reason)
	}
	return t.learn(before, answer)
}

// learn raises what is known by an answer of the bound timeline. After a failure no answer is delivered.
func (t *Timeline) learn(before view, answer Tuple) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure != nil {
		return t.failure
	}
	if answer.Tick > t.known.Tick {
		t.known.Tick, t.known.TickModRevision = answer.Tick, answer.TickModRevision
	}
	t.known.Revision = max(t.known.Revision, answer.Revision)
	if before.doubts > t.settled {
		// These writes were executed before the request of this answer, if at all.
		t.settled, t.written = before.doubts, max(t.written, answer.Revision)
	}
	return nil
}

// wrote records that objects may have changed at a revision.
func (t *Timeline) wrote(revision int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written = max(t.written, revision)
}

// doubt records a write without an answer, which may have been executed.
func (t *Timeline) doubt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubts++
}

// fail ends the use of the store. Only the first failure is kept and reported.
func (t *Timeline) fail(before, observed Tuple, reason string) error {
	t.mu.Lock()
	if t.failure != nil {
		defer t.mu.Unlock()
		return t.failure
	}
	failure := &ForeignError{Bound: before, Observed: observed, Reason: reason}
	t.failure = failure
	close(t.failed)
	t.mu.Unlock()
	if t.onForeign != nil {
		t.onForeign(failure)
	}
	return failure
}
