// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// withdrawTimeout bounds the withdrawal of a request, also after the command was interrupted.
const withdrawTimeout = 30 * time.Second

// await returns the new record when a server uses the store at an epoch above the given one. It
// withdraws a request that is not fulfilled in time, because it must not be fulfilled unexpectedly
// later.
func (a *accept) await(
	ctx context.Context, requests requests, look *inspection, wanted storeidentity.Request, above int64,
) (record storeidentity.Record, err error) {
	var last error
	err = wait.PollUntilContextTimeout(ctx, a.poll, a.timeout, true, func(ctx context.Context) (bool, error) {
		now, err := requests.read(ctx)
		if err != nil {
			last = keepCause(ctx, last, err)
			return false, nil
		}
		if now.pending != nil && now.pending.Nonce != wanted.Nonce {
			return false, fmt.Errorf("the request was replaced by another one (%s)", now.pending.Reason)
		}
		header, err := look.observe(ctx)
		if err != nil {
			last = keepCause(ctx, last, err)
			return false, nil
		}
		if last = unfulfilled(now, header, above); last != nil {
			return false, nil
		}
		record = *now.record
		return true, nil
	})
	if err == nil {
		return record, nil
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return record, errors.Join(err, requests.withdraw(cleanup, wanted.Nonce))
	}
	err = fmt.Errorf("the store was not accepted within %s: %w", a.timeout, last)
	if refusal := look.refusal(cleanup); refusal != nil {
		err = fmt.Errorf("%w. Message of the server: %w", err, refusal)
	}
	return record, errors.Join(err, requests.withdraw(cleanup, wanted.Nonce))
}

// keepCause returns the error to report. An error of a read that timed out is not useful.
func keepCause(ctx context.Context, last, err error) error {
	if ctx.Err() != nil && last != nil {
		return last
	}
	return err
}

// unfulfilled returns what is missing until the request is fulfilled, nil if nothing is. The record is written after etcd and
// the request is removed with it, so a server that uses the recorded epoch is done.
func unfulfilled(now state, header storeidentity.InventoryHeader, above int64) error {
	observed := fmt.Sprintf("the server observes store %s, epoch %d, at revision %d, in state %s",
		idOf(header), header.Epoch, header.Revision, header.State)
	switch {
	case now.pending != nil:
		return fmt.Errorf("no server has processed the request; %s", observed)
	case now.record == nil:
		return fmt.Errorf("there is no valid record of the store; %s", observed)
	case now.record.Epoch <= above:
		return fmt.Errorf("the request was removed, but the record is still of epoch %d; %s", now.record.Epoch, observed)
	case header.State != storeidentity.StateServing || header.Epoch != now.record.Epoch || header.StoreID != now.record.StoreID:
		return fmt.Errorf("store %s was accepted as epoch %d, but is not used yet; %s", now.record.StoreID, now.record.Epoch, observed)
	default:
		return nil
	}
}
