// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"errors"
	"fmt"
	"time"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

// Problem is why the work stopped.
type Problem struct {
	// Reason and Message go into a condition.
	Reason, Message string
	// Retry is the error to back off on, nil where nothing changes before an object does that the controller watches.
	Retry error
	// After is how long to wait at least, where the repository said so.
	After time.Duration
}

// Error gives the message.
func (p *Problem) Error() string { return p.Message }

// NeedsPerson tells whether somebody must act before it goes on.
func NeedsPerson(reason string) bool { return !passing[reason] }

// passing are the reasons of Ready that may pass by themselves, or by an object that is awaited.
var passing = map[string]bool{
	v1alpha1.ReasonReconciling:           true,
	v1alpha1.ReasonRepositoryUnavailable: true,
	v1alpha1.ReasonOperatorNotFound:      true,
	v1alpha1.ReasonRequestFailed:         true,
	v1alpha1.ReasonSandboxUnavailable:    true,
}

var reasonOf = map[repository.Kind]string{
	repository.KindUnreachable:    v1alpha1.ReasonRepositoryUnavailable,
	repository.KindRefused:        v1alpha1.ReasonRepositoryRefused,
	repository.KindUnauthorized:   v1alpha1.ReasonCredentialsRefused,
	repository.KindDigestMismatch: v1alpha1.ReasonChartDigestMismatch,
	repository.KindTooLarge:       v1alpha1.ReasonChartTooLarge,
	repository.KindUnrenderable:   v1alpha1.ReasonChartNotRendered,
}

var reasonOfMissing = map[repository.Missing]string{
	repository.MissingRepository: v1alpha1.ReasonRepositoryNotFound,
	repository.MissingChart:      v1alpha1.ReasonChartNotFound,
	repository.MissingVersion:    v1alpha1.ReasonChartVersionNotFound,
}

// Classify turns an error of a repository into a problem. What lies with the repository is tried again, less and less often:
// others mend it, and nobody tells us. invalid is the reason for what is not what it should be.
func Classify(err error, invalid string) *Problem {
	var found *repository.Error
	if !errors.As(err, &found) {
		return &Problem{Reason: v1alpha1.ReasonRequestFailed, Message: fmt.Sprintf("the work was interrupted: %v", err), Retry: err}
	}
	problem := &Problem{Reason: reasonOf[found.Kind], Message: found.Error(), Retry: err, After: found.RetryAfter}
	if found.Kind == repository.KindNotFound {
		problem.Reason = reasonOfMissing[found.Missing]
	}
	if problem.Reason == "" {
		problem.Reason = invalid
	}
	if found.Kind == repository.KindUnrenderable {
		problem.Retry = nil // the chart stays the same, and changed values are seen
	}
	return problem
}

// Request is the problem of a failed request to the API server; doing completes "… failed".
func Request(doing string, err error) *Problem {
	return &Problem{Reason: v1alpha1.ReasonRequestFailed, Message: fmt.Sprintf("%s failed: %v", doing, err), Retry: err}
}
