// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWasAccepted(t *testing.T) {
	require.False(t, WasAccepted(nil), "not judged")
	require.False(t, WasAccepted([]metav1.Condition{{Type: ConditionReady, Status: metav1.ConditionTrue, Reason: ReasonAsSpecified}}))
	for _, tc := range []struct {
		status metav1.ConditionStatus
		reason string
		want   bool
	}{
		{metav1.ConditionTrue, ReasonCompatible, true},
		{metav1.ConditionTrue, ReasonNothingToCompare, true},
		{metav1.ConditionTrue, ReasonBreakingAllowed, true},
		{metav1.ConditionTrue, ReasonApproved, true},
		{metav1.ConditionUnknown, ReasonReconciling, false},
		{metav1.ConditionFalse, ReasonAwaitingApproval, false},
		{metav1.ConditionFalse, ReasonBreakingRefused, false},
		{metav1.ConditionFalse, ReasonRejected, false},
		{metav1.ConditionFalse, ReasonExpired, false},
		{metav1.ConditionFalse, ReasonVoided, false},
		{metav1.ConditionFalse, ReasonSchemaRefused, false},
		{metav1.ConditionFalse, ReasonSchemaNameTaken, true},
		{metav1.ConditionFalse, ReasonRequestFailed, true},
	} {
		require.Equal(t, tc.want, WasAccepted([]metav1.Condition{{Type: ConditionCRDsCompatible, Status: tc.status, Reason: tc.reason}}),
			tc.reason)
	}
}
