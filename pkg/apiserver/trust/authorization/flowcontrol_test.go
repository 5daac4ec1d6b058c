// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericfilters "k8s.io/apiserver/pkg/server/filters"
	apiflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/component-base/metrics/testutil"
)

// open is a priority and fairness that executes everything.
type open struct {
	apiflowcontrol.Interface
}

func (open) Handle(_ context.Context, _ apiflowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string), _ func() fcrequest.WorkEstimate,
	_ fairqueuing.QueueNoteFn, execute func()) {
	note(&flowcontrolv1.FlowSchema{}, &flowcontrolv1.PriorityLevelConfiguration{}, "")
	execute()
}

// TestFlowControl_RefusesCallersInDebt sends requests through the generic server's filter.
func TestFlowControl_RefusesCallersInDebt(t *testing.T) {
	callers := NewCallers(0.0001)
	accepting := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	handler := genericfilters.WithPriorityAndFairness(accepting, nil, callers.FlowControl(open{}), nil, time.Second)
	request := func(caller user.Info) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/apis/g/v1/domains/a", nil)
		info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "get"}
		ctx := genericapirequest.WithRequestInfo(genericapirequest.WithUser(r.Context(), caller), info)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r.WithContext(ctx))
		return answer
	}
	require.Equal(t, http.StatusAccepted, request(tenant).Code)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q := &question{user: tenant.Name}
	require.NoError(t, callers.await(t.Context(), q))
	waited := make(chan error, 1)
	go func() { waited <- callers.await(ctx, q) }()
	require.Eventually(t, func() bool { return callers.inDebt(tenant.Name) }, waiting, time.Millisecond)

	before, err := testutil.GetCounterMetricValue(refusedRequests)
	require.NoError(t, err)
	got := request(tenant)
	assert.Equal(t, http.StatusTooManyRequests, got.Code)
	assert.Equal(t, "1", got.Header().Get("Retry-After"))
	assert.Equal(t, http.StatusAccepted, request(other).Code)
	after, err := testutil.GetCounterMetricValue(refusedRequests)
	require.NoError(t, err)
	assert.InDelta(t, 1, after-before, 0)

	cancel()
	require.ErrorIs(t, <-waited, context.Canceled)
	require.Equal(t, http.StatusAccepted, request(tenant).Code)
}

func TestFlowControl_WithoutPriorityAndFairness(t *testing.T) {
	require.Nil(t, NewCallers(1).FlowControl(nil))
}
