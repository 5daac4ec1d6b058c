// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	shared "roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	circuitWait = shared.CircuitWait
	foreignWait = shared.ForeignWait
	refusedWait = shared.RefusedWait
	// heldWait is between two reads of a domain that is held back together with others.
	heldWait = time.Minute
	// unclearWait is between two searches for what an interrupted create may bring about.
	unclearWait = 15 * time.Second
)

// errOutdated stops an attempt that began with an object that is not the present one any more.
var errOutdated = shared.ErrOutdated

// problem is why the work stopped. With neither wait nor retry nothing happens before the spec or a Secret changes.
type problem struct {
	// condition is the type of the condition that turns False; reason and message go into it.
	condition, reason, message string
	// steady is shared.Problem.KeepsReady.
	steady bool
	// wait is how long until the next look, without back-off.
	wait time.Duration
	// retry is the error to back off on.
	retry error
}

func (p *problem) Error() string { return p.message }

// outdated reports that nothing is wrong but that somebody else was faster: no status says that, the next attempt begins
// with what is there then.
func (p *problem) outdated() bool {
	return errors.Is(p.retry, errOutdated) || apierrors.IsConflict(p.retry)
}

// synced is a problem of the condition Synced.
func synced(reason, message string, wait time.Duration) *problem {
	return &problem{condition: v1alpha1.ConditionSynced, reason: reason, message: message, wait: wait}
}

// unusable is the problem of an endpoint whose token or CA, which come from Secrets, cannot be used.
func unusable(err error, from endpoint.Sources) *problem {
	return fromShared(shared.Unusable(err, from))
}

// naming is shared.Problem.Naming.
func (p *problem) naming(from endpoint.Sources) *problem {
	if p == nil {
		return nil
	}
	named := *p
	named.message = (&shared.Problem{Reason: p.reason, Message: p.message}).Naming(from).Message
	return &named
}

// classify turns an error into a problem; doing completes "while …".
func classify(doing string, err error) *problem {
	var known *problem
	if errors.As(err, &known) {
		return known
	}
	return fromShared(shared.Classify(doing, err))
}

// published are the reasons of decisions that have another name in conditions of Domains.
var published = map[string]string{
	ownership.ReasonTaken:          v1alpha1.ReasonExternalReferenceTaken,
	ownership.ReasonNothingToAdopt: v1alpha1.ReasonExternalReferenceNotFound,
}

// fromShared says which condition of a Domain a problem belongs to.
func fromShared(found *shared.Problem) *problem {
	condition := v1alpha1.ConditionSynced
	if found.Endpoint {
		condition = v1alpha1.ConditionEndpointReady
	}
	reason := found.Reason
	if name, renamed := published[reason]; renamed {
		reason = name
	}
	return &problem{condition: condition, reason: reason, message: found.Message, steady: found.KeepsReady(), wait: found.Wait, retry: found.Retry}
}
