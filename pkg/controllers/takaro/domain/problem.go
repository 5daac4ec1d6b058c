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
	// heldWait is the delay between reads of a domain that is held together with others.
	heldWait = time.Minute
	// unclearWait is the delay between searches for the result of an interrupted create.
	unclearWait = 15 * time.Second
)

// synced returns a problem that is reported in the condition Synced.
func synced(reason, message string, wait time.Duration) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionSynced, Reason: reason, Message: message, RequeueAfter: wait}
}

// failing is like synced, for an error that is retried with back-off.
func failing(err error, message string) *base.Blocked {
	return &base.Blocked{Condition: v1alpha1.ConditionSynced, Reason: v1alpha1.ReasonRequestFailed, Message: message, Err: err}
}

// classify is like problem.Classify, and sets the condition of a Domain.
func classify(doing string, err error) *base.Blocked { return placed(problem.Classify(doing, err)) }

// published maps the reasons of decisions to the names that conditions of Domains use, where they
// differ.
var published = map[string]string{
	ownership.ReasonTaken:          v1alpha1.ReasonExternalReferenceTaken,
	ownership.ReasonNothingToAdopt: v1alpha1.ReasonExternalReferenceNotFound,
}

// placed returns a copy with the Domain condition that the reason applies to, unless one is set.
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
