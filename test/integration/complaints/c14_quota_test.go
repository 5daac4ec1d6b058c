// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// TestC14Quota verifies object quotas: the cluster counts the objects, but only the server that
// stores them can reject one (rancher #52602).
func TestC14Quota(t *testing.T) {
	u := editor(t)
	const counted = "count/domains." + group
	quotas := env.Admin.CoreV1().ResourceQuotas(u.Namespace)
	_, err := quotas.Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "three"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{counted: resource.MustParse("3")}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	used := func(want int64) {
		t.Helper()
		// The quota controller may miss a change while it starts to watch a kind. It recounts every
		// five minutes.
		framework.AwaitFor(t, 6*time.Minute, "the quota's count", func() error {
			quota, err := quotas.Get(t.Context(), "three", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got, ok := quota.Status.Used[counted]; !ok || got.Value() != want {
				return errors.New("used: " + got.String())
			}
			return nil
		})
	}
	used(0)
	// The server observes the quota and its first count with a delay. Until then it enforces no
	// quota.
	framework.Await(t, "the server to know the quota", func() error {
		_, err := u.Domains().Create(t.Context(), newDomain("dry"), dryRun())
		return err
	})
	for _, name := range []string{"one", "two", "three"} {
		framework.Await(t, "creating "+name, func() error {
			_, err := u.Domains().Create(t.Context(), referring(name, u.Namespace+"-"+name), metav1.CreateOptions{})
			return err
		})
	}
	used(3)
	_, err = u.Domains().Create(t.Context(), newDomain("four"), metav1.CreateOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	require.ErrorContains(t, err, "exceeded quota: three, requested: "+counted+"=1, used: "+counted+"=3, limited: "+counted+"=3")
	_, err = u.Domains().Create(t.Context(), newDomain("four"), dryRun())
	require.ErrorContains(t, err, "exceeded quota", "a dry run tells what would be")

	require.NoError(t, u.Domains().Delete(t.Context(), "one", metav1.DeleteOptions{}))
	used(2)
	for range 5 {
		_, err = u.Domains().Create(t.Context(), newDomain("four"), dryRun())
		require.NoError(t, err, "a dry run takes nothing")
	}
	used(2)
	for range 5 {
		_, err = u.Domains().Create(t.Context(), referring("duplicate", u.Namespace+"-two"), metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%v", err)
	}
	used(2) // regression test: rejected duplicates used up the quota until its next recount
	_, err = u.Domains().Create(t.Context(), newDomain("four"), metav1.CreateOptions{})
	require.NoError(t, err)
	used(3)
}

// referring returns a Domain with a reference that no other Domain may have.
func referring(name, reference string) *v1alpha1.Domain {
	domain := newDomain(name)
	domain.Spec.ExternalReferenceID = reference
	return domain
}
