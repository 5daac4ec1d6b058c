// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// heldWait is between two reads of a domain that is held back together with others.
	heldWait = time.Minute
	// unclearWait is between two searches for what an interrupted create may bring about.
	unclearWait = 15 * time.Second
)

// synced returns why the work stopped, for the condition Synced.
func synced(reason, message string, wait time.Duration) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionSynced, Reason: reason, Message: message, RequeueAfter: wait}
}

// failing is synced for an error that is retried with back-off.
func failing(err error, message string) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionSynced, Reason: v1alpha1.ReasonRequestFailed, Message: message, Err: err}
}

// classify is problem.Classify with the condition of a Domain.
func classify(doing string, err error) *base.Blocked { return placed(problem.Classify(doing, err)) }

// published are the reasons of decisions that have another name in conditions of Domains.
var published = map[string]string{
	ownership.ReasonTaken:          v1alpha1.ReasonExternalReferenceTaken,
	ownership.ReasonNothingToAdopt: v1alpha1.ReasonExternalReferenceNotFound,
}

// placed returns a copy with the condition of a Domain that the reason concerns, unless that is set.
func placed(blocked *base.Blocked) *base.Blocked {
	if blocked.Condition != "" {
		return blocked
	}
	copied := *blocked
	copied.Condition = v1alpha1.ConditionSynced
	if blocked.Unknown {
		copied.Condition = v1alpha1.ConditionEndpointReady
	}
	if name, renamed := published[blocked.Reason]; renamed {
		copied.Reason = name
	}
	return &copied
}
