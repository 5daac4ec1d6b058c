// SPDX-License-Identifier: Apache-2.0

package base

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// Blocked is why the work on an object stopped. With neither RequeueAfter nor Err nothing happens before the spec, a Secret or
// another object that is referred to changes. Which reasons a user must act on is decided by each kind.
type Blocked struct {
	// Condition is the type of the condition that the reason concerns. It is empty where the kind decides that.
	Condition string
	// Reason and Message go into the conditions.
	Reason, Message string
	// Unknown reports that nothing is known to be wrong with the outside object, because it could not be observed or because
	// something is awaited.
	Unknown bool
	// Steady reports that nothing is known to be wrong at all: an object that is Ready stays so.
	Steady bool
	// RequeueAfter is how long until the next attempt, without back-off.
	RequeueAfter time.Duration
	// Err is the error to back off on.
	Err error
}

// Error returns the message.
func (b *Blocked) Error() string { return b.Message }

// Status returns the status of the condition that the reason concerns.
func (b *Blocked) Status() metav1.ConditionStatus {
	if b.Unknown {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionFalse
}

// KeepsReady reports whether an object that is Ready with its present spec stays so, and nothing is stored. b may be nil.
func (b *Blocked) KeepsReady() bool { return b != nil && b.Steady }

// Outdated reports whether nothing is wrong but that the object was changed meanwhile: no status says that, the next attempt
// begins with the present object. b may be nil.
func (b *Blocked) Outdated() bool { return b != nil && outdated(b.Err) }

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
