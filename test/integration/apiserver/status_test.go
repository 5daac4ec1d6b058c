// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/integration/framework"
)

const forged = `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","status":{"phase":"Ready","domainId":"forged"}}`

func TestStatusIsNotWrittenThroughTheMainResource(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	domain := created(t, u, newDomain("main", func(d *v1alpha1.Domain) { d.Status.DomainID = "forged" }))
	require.Empty(t, domain.Status, "create")
	domain.Status.DomainID = "true"
	domain, err := u.Domains().UpdateStatus(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "true", domain.Status.DomainID)

	changed := domain.DeepCopy()
	changed.Status = v1alpha1.DomainStatus{DomainID: "forged"}
	changed, err = u.Domains().Update(t.Context(), changed, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "true", changed.Status.DomainID, "update")
	for contentType, body := range map[string]string{
		"application/json-patch+json":            `[{"op":"replace","path":"/status/domainId","value":"forged"}]`,
		"application/merge-patch+json":           forged,
		"application/strategic-merge-patch+json": forged,
		"application/apply-patch+yaml":           forged,
	} {
		path := framework.DomainsPath(u.Namespace) + "/main?fieldManager=forger"
		if contentType == "application/apply-patch+yaml" {
			path += "&force=true"
		}
		answer := framework.Do(t, u.Config, framework.Request{Method: http.MethodPatch, Path: path, ContentType: contentType, Body: body})
		require.Equal(t, http.StatusOK, answer.Code, "%s: %s", contentType, answer.Body)
		after := got(t, u, "main")
		require.Equal(t, domain.Status, after.Status, contentType)
		require.Equal(t, domain.ResourceVersion, after.ResourceVersion, "%s wrote the object", contentType)
		for _, entry := range after.ManagedFields {
			if entry.Subresource == "" && entry.FieldsV1 != nil {
				require.NotContains(t, string(entry.FieldsV1.GetRawBytes()), `"f:status"`, contentType)
			}
		}
	}
}

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
	require.Equal(t, v1alpha1.DomainStatus{ObservedGeneration: 1, Phase: v1alpha1.DomainReady}, changed.Status)
	require.Equal(t, domain.Generation, changed.Generation)

	apply := framework.Do(t, u.Config, framework.Request{
		Method: http.MethodPatch, Path: framework.DomainsPath(u.Namespace) + "/sub/status?fieldManager=writer&force=true", ContentType: "application/apply-patch+yaml",
		Body: `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"labels":{"kept":"no"}},"spec":{"description":"through status"},"status":{"domainId":"applied"}}`,
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

func TestGenerationCountsChangesOfTheSpec(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	domain := created(t, u, newDomain("counted", func(d *v1alpha1.Domain) { d.Generation = 7 }))
	require.EqualValues(t, 1, domain.Generation)
	domain.Labels = map[string]string{"a": "b"}
	domain, err := u.Domains().Update(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, domain.Generation, "a label is no spec")
	domain.Generation = 7
	domain.Spec.Description = "changed"
	domain, err = u.Domains().Update(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2, domain.Generation)
	domain.Status.ObservedGeneration = 2
	domain, err = u.Domains().UpdateStatus(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2, domain.Generation)
	require.EqualValues(t, 2, domain.Status.ObservedGeneration)
}

func TestStatusNeedsItsOwnRight(t *testing.T) {
	t.Parallel()
	u := editor(t)
	domain := created(t, u, newDomain("guarded"))
	_, err := u.Domains().UpdateStatus(t.Context(), domain, metav1.UpdateOptions{})
	require.ErrorContains(t, err, "is forbidden")
}
