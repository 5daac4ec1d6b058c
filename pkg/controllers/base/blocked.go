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
	// outdatedWait is the delay before the next attempt with an outdated object: enough for the
	// cache to catch up.
	outdatedWait = 100 * time.Millisecond
	// terminatingWait is the delay between attempts in a namespace that is being deleted. The
	// deletion of the object ends the attempts.
	terminatingWait = 5 * time.Second
)

// ErrOutdated stops an attempt that started with an outdated version of the object.
var ErrOutdated = errors.New("the object changed meanwhile")

// Blocked describes why the work on an object stopped. If neither RequeueAfter nor Err is set, the
// object is next reconciled when its spec, a Secret or another referenced object changes. Each kind
// decides which reasons require action by a user.
type Blocked struct {
	// Condition is the type of the condition that the reason applies to. It is empty if the kind
	// decides that.
	Condition string
	// Reason and Message are written to the conditions.
	Reason, Message string
	// Unknown is set if the outside object is not known to be faulty, because it could not be
	// observed or because the controller waits for something.
	Unknown bool
	// Steady is set if nothing is known to be wrong: an object that is Ready stays Ready.
	Steady bool
	// RequeueAfter is the delay before the next attempt, without back-off.
	RequeueAfter time.Duration
	// Err is the error to back off on, if any.
	Err error
}

// Error returns the message.
func (b *Blocked) Error() string { return b.Message }

// Status returns the status of the condition that the reason applies to.
func (b *Blocked) Status() metav1.ConditionStatus {
	if b.Unknown {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionFalse
}

// KeepsReady reports whether an object that is Ready with its current spec stays Ready, so that no
// status is written. b may be nil.
func (b *Blocked) KeepsReady() bool { return b != nil && b.Steady }

// Outdated reports whether the attempt stopped only because the object was changed in the meantime.
// No status reports that: the next attempt starts with the current object. b may be nil.
func (b *Blocked) Outdated() bool { return b != nil && outdated(b.Err) }

func outdated(err error) bool { return errors.Is(err, ErrOutdated) || apierrors.IsConflict(err) }

// WithoutFailure returns the outcome of a reconciliation. It replaces an error that is not a
// failure by a requeue: the object was changed in the meantime, or its namespace accepts no new
// objects because it is being deleted. controller-runtime would log such an error, several times
// for each namespace that is deleted.
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
