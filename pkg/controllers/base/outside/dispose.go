// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"time"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// stillThere is the delay before the next check of an object that is still returned after its
// deletion.
const stillThere = 5 * time.Second

// Dispose applies Want.Policy to the outside object. If it returns no error, the API object may be
// removed; left then contains the ids or keys of objects that remain and could not be marked. The
// error is a *StoppedError if the decision was to wait or to refuse.
func Dispose(ctx context.Context, o Object) (left []string, err error) {
	live, deleted := false, false
	for range maxSteps {
		d, err := o.decide(ctx, live)
		if err != nil {
			return nil, err
		}
		live = d.Action == ownership.Look || deleted
		switch {
		case d.Verdict != ownership.Act:
			o.Ledger().Records = d.Ledger
			return nil, &StoppedError{Decision: d}
		case d.Action == ownership.Look:
		case d.Action == ownership.Disable || d.Finished():
			return o.end(ctx, d)
		case d.Action == ownership.Delete && deleted:
			d.Verdict, d.Reason, d.After = ownership.Wait, ownership.ReasonSearchIncomplete, stillThere
			d.Message = "The object was deleted, and still exists. It is read again in a few seconds."
			return nil, &StoppedError{Decision: d}
		default:
			if err := o.step(ctx, d); err != nil {
				return nil, err
			}
			deleted = deleted || d.Action == ownership.Delete
			live = deleted
		}
	}
	return nil, errUnsettled
}

// end marks what remains, and disables it if the decision says so. The ledger is not stored again,
// because the API object is about to be removed: if that fails, the next run reaches the same
// decision.
func (o *Object) end(ctx context.Context, d ownership.Decision) ([]string, error) {
	o.Ledger().Records = d.Ledger
	if d.Mark {
		err := o.Mark(ctx, d.ID)
		switch {
		case err != nil && d.Row == rowRetain && ctx.Err() == nil:
			d.Left = append(d.Left, d.ID) // retaining an object requires no response
		case err != nil:
			return nil, err
		}
	}
	if d.Action == ownership.Disable {
		if err := o.Disable(ctx, d.ID); err != nil {
			return nil, err
		}
	}
	o.notify(d)
	return d.Left, nil
}
