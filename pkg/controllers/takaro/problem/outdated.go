// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// outdatedWait is enough for the cache to catch up.
	outdatedWait = 100 * time.Millisecond
	// terminatingWait is between two tries in a namespace that is being deleted. The deletion of the object ends it.
	terminatingWait = 5 * time.Second
)

// ErrOutdated stops an attempt that began with an object that is not the present one any more.
var ErrOutdated = errors.New("the object changed meanwhile")

// Outdated reports whether nothing is wrong but that the object was changed meanwhile: no status says that, the next attempt
// begins with the present object.
func (p *Problem) Outdated() bool { return outdated(p.Retry) }

func outdated(err error) bool { return errors.Is(err, ErrOutdated) || apierrors.IsConflict(err) }

// WithoutFailure returns the outcome of a reconciliation, and another try instead of an error by which nothing failed: the
// object was changed meanwhile, or its namespace takes no new objects because it is being deleted. controller-runtime
// would log such an error, several times for each namespace that is deleted.
func WithoutFailure(result reconcile.Result, err error) (reconcile.Result, error) {
	switch {
	case err == nil:
		return result, nil
	case outdated(err):
		return reconcile.Result{RequeueAfter: outdatedWait}, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return reconcile.Result{RequeueAfter: terminatingWait}, nil
	}
	return reconcile.Result{}, err
}
