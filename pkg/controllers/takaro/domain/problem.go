// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	shared "roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

const (
	circuitWait = shared.CircuitWait
	foreignWait = shared.ForeignWait
	refusedWait = shared.RefusedWait
)

// errOutdated stops an attempt that began with an object that is not the present one any more.
var errOutdated = shared.ErrOutdated

// problem is why the work stopped. With neither wait nor retry nothing happens before the spec or a Secret changes.
type problem struct {
	// condition is the type of the condition that turns False; reason and message go into it.
	condition, reason, message string
	// wait is how long until the next look, without back-off.
	wait time.Duration
	// retry is the error to back off on.
	retry error
}

func (p *problem) Error() string { return p.message }

// outdated tells whether nothing is wrong but that somebody else was faster: no status says that, the next attempt begins
// with what is there then.
func (p *problem) outdated() bool {
	return errors.Is(p.retry, errOutdated) || apierrors.IsConflict(p.retry)
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

// fromShared says which condition of a Domain a problem belongs to.
func fromShared(found *shared.Problem) *problem {
	condition := v1alpha1.ConditionSynced
	if found.Endpoint {
		condition = v1alpha1.ConditionEndpointReady
	}
	return &problem{condition: condition, reason: found.Reason, message: found.Message, wait: found.Wait, retry: found.Retry}
}
