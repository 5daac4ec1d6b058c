// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"fmt"
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrUnbound is returned by calls while the store is not in use yet. To etcd's client it has code Unavailable, to
// clients of the API it is 503.
var ErrUnbound error = unboundError{}

type unboundError struct{}

func (unboundError) Error() string {
	return "the store is not bound: the server has not confirmed yet that etcd holds its store"
}

// GRPCStatus implements the interface by which package status reads codes.
func (e unboundError) GRPCStatus() *status.Status { return status.New(codes.Unavailable, e.Error()) }

// Status implements apierrors.APIStatus.
func (e unboundError) Status() metav1.Status { return unavailable(e) }

// ForeignError is returned when etcd no longer holds the bound timeline. To etcd's client it has code
// FailedPrecondition, so that watches are not resumed; to clients of the API it is 503, because the server ends.
type ForeignError struct {
	// Bound is the bound store at the newest point that was known when the call began.
	Bound Tuple
	// Observed is what etcd answered. For a message of a watch it has the cluster and the revision only.
	Observed Tuple
	// Reason is the first difference.
	Reason string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("etcd does not hold the bound store: %s (bound: %s; observed: %s)", e.Reason, e.Bound, e.Observed)
}

// GRPCStatus implements the interface by which package status reads codes.
func (e *ForeignError) GRPCStatus() *status.Status {
	return status.New(codes.FailedPrecondition, e.Error())
}

// Status implements apierrors.APIStatus.
func (e *ForeignError) Status() metav1.Status { return unavailable(e) }

func unavailable(err error) metav1.Status {
	return metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable,
		Message: err.Error(),
	}
}
