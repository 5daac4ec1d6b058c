// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestLongestRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requireLongest := func(wantKind string, want time.Duration) {
			t.Helper()
			kind, running := LongestRunning()
			require.Equal(t, wantKind, kind)
			require.Equal(t, want, running)
		}
		requireLongest("", 0)
		release := map[string]chan struct{}{}
		ended := make(chan struct{})
		for _, kind := range []string{"LongestA", "LongestB"} {
			wait := make(chan struct{})
			release[kind] = wait
			go func() {
				_, _ = Measure(kind, reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
					<-wait
					return reconcile.Result{}, nil
				})).Reconcile(t.Context(), reconcile.Request{})
				ended <- struct{}{}
			}()
			synctest.Wait()
			time.Sleep(time.Minute) // fake clock of the synctest bubble
		}
		requireLongest("LongestA", 2*time.Minute)
		close(release["LongestA"])
		<-ended
		requireLongest("LongestB", time.Minute)
		close(release["LongestB"])
		<-ended
		requireLongest("", 0)

		require.Panics(t, func() {
			_, _ = Measure("LongestC", reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { panic("defect") })).
				Reconcile(t.Context(), reconcile.Request{})
		})
		time.Sleep(time.Minute) // fake clock of the synctest bubble
		requireLongest("", 0)
	})
}
