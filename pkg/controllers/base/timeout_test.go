// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// A reconciliation that never gets a response ends, and has time to report that.
func TestReconciliationsEnd(t *testing.T) {
	for name, timeout := range map[string]time.Duration{"timeout": Timeout, "domain-timeout": DomainTimeout} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			options, begin := Options(1, timeout), time.Now()
			options.Reconciler = reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				defer cancel()
				work, done := Work(ctx)
				defer done()
				<-work.Done()
				assert.Equal(t, timeout-reportTime, time.Since(begin), name)
				require.ErrorIs(t, context.Cause(work), errWorkTimeout)
				require.ErrorIs(t, work.Err(), context.DeadlineExceeded)
				require.NoError(t, ctx.Err(), "the status can be written")
				<-ctx.Done()
				assert.Equal(t, timeout, time.Since(begin), name)
				return reconcile.Result{}, nil
			})
			runs, err := controller.NewUnmanaged(name, options)
			require.NoError(t, err)
			require.NoError(t, runs.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
				queue.Add(requestFor("any", "one"))
				return nil
			})))
			require.NoError(t, runs.Start(ctx))
			synctest.Wait()
		})
	}
}

func TestWorkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	work, done := Work(ctx)
	defer done()
	require.NoError(t, work.Err())
	cancel()
	require.ErrorIs(t, work.Err(), context.Canceled)
}
