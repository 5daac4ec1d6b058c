// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"errors"
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

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

// Classify returns how an error of a repository, which must not be nil, stops the work. Errors of
// the repository itself are retried with back-off, and not before the time that the repository
// requested: they are resolved outside the cluster, and no event reports that. invalid is the
// reason for invalid content.
func Classify(err error, invalid string) *base.Blocked {
	var found *repository.Error
	if !errors.As(err, &found) {
		return &base.Blocked{Reason: v1alpha1.ReasonRequestFailed, Message: fmt.Sprintf("the work was interrupted: %v", err), Err: err}
	}
	blocked := &base.Blocked{Reason: reasonOf[found.Kind], Message: found.Error(), Err: err, RequeueAfter: found.RetryAfter}
	if found.Kind == repository.KindNotFound {
		blocked.Reason = reasonOfMissing[found.Missing]
	}
	if blocked.Reason == "" {
		blocked.Reason = invalid
	}
	if found.Kind == repository.KindUnrenderable {
		blocked.Err = nil // the chart does not change, and changed values cause a reconciliation
	}
	return blocked
}

// Request returns how a failed request to the API server stops the work. doing completes "… failed"
// in the message.
func Request(doing string, err error) *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonRequestFailed, Message: fmt.Sprintf("%s failed: %v", doing, err), Err: err}
}
