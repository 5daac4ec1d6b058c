// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// While a namespace is deleted, other controllers change its objects at the same time. No conflict
// is logged as an error, regardless of the call.
func TestConflictsDuringADeletionLogNoErrors(t *testing.T) {
	for nth := 1; ; nth++ {
		w := newWorld(t)
		w.addDomain()
		w.Settle(w.controller(w.Store))
		w.Delete()
		calls := 0
		conflict := controllertest.Intercept(func(call func() error) error {
			if calls++; calls == nth {
				return apierrors.NewConflict(v1alpha1.Resource("domains"), testName, errors.New("it changed"))
			}
			return call()
		})
		var lines []string
		logged := log.IntoContext(t.Context(), funcr.New(func(_, line string) {
			if !strings.Contains(line, `"level"=`) { // only lines of the level error lack this key
				lines = append(lines, line)
			}
		}, funcr.Options{}))
		inner := w.controller(conflict.Client(w.Store))
		w.Settle(reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
			result, err := inner.Reconcile(logged, request)
			require.NoError(t, err, "controller-runtime would log it")
			return result, nil
		}))
		require.Empty(t, lines)
		require.Nil(t, w.Object())
		if calls < nth {
			require.Greater(t, nth, 5)
			return
		}
	}
}
