// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// Tests of the status that apply to every kind are in test/integration/complaints, TestC19….

func TestOnlyStatusIsWrittenThroughTheSubresource(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	domain := created(t, u, newDomain("sub", func(d *v1alpha1.Domain) {
		d.Finalizers = []string{"roadstead.test/held"}
		d.Labels = map[string]string{"kept": "yes"}
	}))
	changed := domain.DeepCopy()
	changed.Spec.Description = "through status"
	changed.Finalizers, changed.Labels = nil, map[string]string{"kept": "no"}
	changed.Status = v1alpha1.DomainStatus{ObservedGeneration: 1, Phase: v1alpha1.DomainReady}
	changed, err := u.Domains().UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, domain.Spec, changed.Spec)
	require.Equal(t, domain.Finalizers, changed.Finalizers)
	require.Equal(t, domain.Labels, changed.Labels)
	require.Equal(t, v1alpha1.DomainStatus{ObservedGeneration: 1, Phase: v1alpha1.DomainReady, Ownership: &ownership.Status{}}, changed.Status)
	require.Equal(t, domain.Generation, changed.Generation)

	apply := framework.Do(t, u.Config, framework.Request{
		Method: http.MethodPatch, Path: framework.DomainsPath(u.Namespace) + "/sub/status?fieldManager=writer&force=true",
		ContentType: "application/apply-patch+yaml",
		Body: `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"labels":{"kept":"no"}},` +
			`"spec":{"description":"through status"},"status":{"domainId":"applied"}}`,
	})
	require.Equal(t, http.StatusOK, apply.Code, "%s", apply.Body)
	after := got(t, u, "sub")
	require.Equal(t, "applied", after.Status.DomainID)
	require.Equal(t, domain.Spec, after.Spec)
	require.Equal(t, domain.Labels, after.Labels)
	for _, entry := range after.ManagedFields {
		if entry.Manager == "writer" {
			require.JSONEq(t, `{"f:status":{"f:domainId":{}}}`, string(entry.FieldsV1.GetRawBytes()))
		}
	}
	invalid := after.DeepCopy()
	invalid.Status.Conditions = []metav1.Condition{{Type: "not a type", Status: "Maybe", Reason: ""}}
	_, err = u.Domains().UpdateStatus(t.Context(), invalid, metav1.UpdateOptions{})
	require.ErrorContains(t, err, "status.conditions[0].type")
	after.Finalizers = nil
	_, err = u.Domains().Update(t.Context(), after, metav1.UpdateOptions{})
	require.NoError(t, err)
}
