// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func TestFirstStatus_ReplacesWhatTheClientSends(t *testing.T) {
	kind := testKind()
	kind.FirstStatus = &FirstStatus[*takaro.Domain]{
		Controller: "takaro-domain",
		Conditions: func(d *takaro.Domain) *[]metav1.Condition { return &d.Status.Conditions },
		SetPhase:   func(d *takaro.Domain) { d.Status.Phase = takaro.DomainPending },
	}
	domain := &takaro.Domain{Status: takaro.DomainStatus{
		ObservedGeneration: 7, Phase: takaro.DomainReady,
		Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, ObservedGeneration: 7}, {Type: "Synced"}},
	}}
	NewStrategy(kind).PrepareForCreate(t.Context(), domain)
	require.Equal(t, takaro.DomainPending, domain.Status.Phase)
	require.Zero(t, domain.Status.ObservedGeneration)
	require.Len(t, domain.Status.Conditions, 1)
	ready := domain.Status.Conditions[0]
	require.Equal(t, v1alpha1.ConditionReady, ready.Type)
	require.Equal(t, metav1.ConditionUnknown, ready.Status)
	require.Equal(t, v1alpha1.ReasonPending, ready.Reason)
	require.Contains(t, ready.Message, "takaro-domain")
	require.Zero(t, ready.ObservedGeneration)
	require.False(t, ready.LastTransitionTime.IsZero())
}

func TestFirstStatus_KindWithoutPhase(t *testing.T) {
	kind := testKind()
	kind.FirstStatus = &FirstStatus[*takaro.Domain]{Controller: "c",
		Conditions: func(d *takaro.Domain) *[]metav1.Condition { return &d.Status.Conditions }}
	domain := &takaro.Domain{}
	NewStrategy(kind).PrepareForCreate(t.Context(), domain)
	require.Empty(t, domain.Status.Phase)
	require.Len(t, domain.Status.Conditions, 1)
}
