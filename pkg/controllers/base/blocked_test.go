// SPDX-License-Identifier: Apache-2.0

package base

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestOutdated(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{}, "x", errors.New("changed"))
	assert.True(t, (&Blocked{Err: fmt.Errorf("finalizer: %w", conflict)}).Outdated())
	assert.True(t, (&Blocked{Err: ErrOutdated}).Outdated())
	assert.False(t, (&Blocked{Err: errors.New("other")}).Outdated())
	assert.False(t, (&Blocked{}).Outdated())
	assert.False(t, (*Blocked)(nil).Outdated())
}

func TestWithoutFailure(t *testing.T) {
	terminating := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "s", errors.New("namespace is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	failed := errors.New("failed")
	waiting := reconcile.Result{RequeueAfter: time.Hour}
	for name, c := range map[string]struct {
		result reconcile.Result
		err    error
		want   reconcile.Result
		fails  error
	}{
		"done":              {},
		"waiting":           {result: waiting, want: waiting},
		"changed meanwhile": {err: ErrOutdated, want: reconcile.Result{RequeueAfter: outdatedWait}},
		"conflict": {result: waiting, err: apierrors.NewConflict(schema.GroupResource{}, "x", failed),
			want: reconcile.Result{RequeueAfter: outdatedWait}},
		"namespace terminating": {err: fmt.Errorf("create: %w", terminating), want: reconcile.Result{RequeueAfter: terminatingWait}},
		"forbidden": {err: apierrors.NewForbidden(schema.GroupResource{}, "x", failed),
			fails: apierrors.NewForbidden(schema.GroupResource{}, "x", failed)},
		"failed": {result: waiting, err: failed, fails: failed},
	} {
		result, err := WithoutFailure(c.result, c.err)
		assert.Equal(t, c.want, result, name)
		assert.Equal(t, c.fails, err, name)
	}
}
