// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// refusedLevel is the priority level that the request log shows for these refused requests.
const refusedLevel = "roadstead-authorization"

// FlowControl refuses requests of callers in debt with 429, before next, which is priority and
// fairness. Requests that wait for their authorization hold seats there, so a caller over its rate
// would keep the seats from others. The generic server has no other place between authentication
// and authorization, and an error of an authorizer results in 500. Without priority and fairness
// (next is nil) such requests wait.
func (c *Callers) FlowControl(next apiflowcontrol.Interface) apiflowcontrol.Interface {
	if next == nil {
		return nil
	}
	return &flowControl{Interface: next, callers: c}
}

type flowControl struct {
	apiflowcontrol.Interface
	callers *Callers
}

// Handle implements apiflowcontrol.Interface. A request that is not executed is answered with 429
// and Retry-After.
func (f *flowControl) Handle(ctx context.Context, digest apiflowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimate func() fcrequest.WorkEstimate, queued fairqueuing.QueueNoteFn, execute func()) {
	if f.callers.inDebt(digest.User.GetName()) {
		refusedRequests.Inc()
		name := metav1.ObjectMeta{Name: refusedLevel}
		note(&flowcontrolv1.FlowSchema{ObjectMeta: name}, &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: name}, "")
		return
	}
	f.Interface.Handle(ctx, digest, note, estimate, queued, execute)
}
