// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// referring returns a Domain with a reference at an address.
func referring(name, url, reference string) *v1alpha1.Domain {
	return newDomain(name, func(d *v1alpha1.Domain) { d.Spec.TakaroAPIURL, d.Spec.ExternalReferenceID = url, reference })
}

func TestAReferenceIsUniquePerEndpoint(t *testing.T) {
	t.Parallel()
	u := editor(t)
	reference := env.Name("reference")
	created(t, u, referring("first", address, reference))
	for i, url := range []string{address, address + "/", "HTTPS://API.Takaro.test", address + ":443", address + ".:443/x/.."} {
		_, err := u.Domains().Create(t.Context(), referring(fmt.Sprintf("again-%d", i), url, reference), metav1.CreateOptions{})
		require.True(t, apierrors.IsInvalid(err), "%s: %v", url, err)
		require.ErrorContains(t, err, `spec.externalReferenceId: Duplicate value: "`+reference+
			`": the value is in use by domains.takaro.roadstead.dev `+u.Namespace+"/first")
	}
	for i, url := range []string{"http://api.takaro.test", address + ":8443", address + "/path", "https://other.test"} {
		created(t, u, referring(fmt.Sprintf("elsewhere-%d", i), url, reference))
	}
	created(t, u, newDomain("without-reference"))
	created(t, u, newDomain("without-reference-too"))
}

func TestTheHolderIsNamedOnlyToWhoMayGetIt(t *testing.T) {
	t.Parallel()
	holder, stranger := editor(t), editor(t)
	reference := env.Name("reference")
	created(t, holder, referring("secretive", address, reference))
	_, err := stranger.Domains().Create(t.Context(), referring("curious", address, reference), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, "in use by another object")
	require.NotContains(t, err.Error(), "secretive")
	require.NotContains(t, err.Error(), holder.Namespace)
}

func TestAClaimGoesWithItsObject(t *testing.T) {
	t.Parallel()
	u := editor(t)
	reference := env.Name("reference")
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	_, err := u.Domains().Create(t.Context(), referring("dry", address, reference), dry)
	require.NoError(t, err)
	invalid := referring("first", address, reference)
	invalid.Spec.MaintenanceMode, invalid.Spec.Disabled = true, true
	_, err = u.Domains().Create(t.Context(), invalid, metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	created(t, u, referring("first", address, reference))
	_, err = u.Domains().Create(t.Context(), referring("dry", address, reference), dry)
	require.True(t, apierrors.IsInvalid(err), "a dry run must tell what a real one would: %v", err)

	require.NoError(t, u.Domains().Delete(t.Context(), "first", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
	_, err = u.Domains().Create(t.Context(), referring("second", address, reference), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "the dry run of a delete freed the claim: %v", err)
	require.NoError(t, u.Domains().Delete(t.Context(), "first", metav1.DeleteOptions{}))
	second := referring("second", address, reference)
	second.Finalizers = []string{"roadstead.test/held"}
	created(t, u, second)

	require.NoError(t, u.Domains().Delete(t.Context(), "second", metav1.DeleteOptions{}))
	_, err = u.Domains().Create(t.Context(), referring("third", address, reference), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "an object that is being deleted still holds its claim: %v", err)
	second = got(t, u, "second")
	second.Finalizers = nil
	_, err = u.Domains().Update(t.Context(), second, metav1.UpdateOptions{})
	require.NoError(t, err)
	created(t, u, referring("third", address, reference))
	require.NoError(t, u.Domains().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	created(t, u, referring("fourth", address, reference))
}

func TestOneOfManyGetsTheClaim(t *testing.T) {
	t.Parallel()
	u := editor(t)
	reference := env.Name("reference")
	var group sync.WaitGroup
	var won atomic.Int32
	for i := range 20 {
		group.Go(func() {
			_, err := u.Domains().Create(t.Context(), referring(fmt.Sprintf("racer-%d", i), address, reference), metav1.CreateOptions{})
			if err == nil {
				won.Add(1)
				return
			}
			assert.True(t, apierrors.IsInvalid(err), "%v", err)
		})
	}
	group.Wait()
	require.EqualValues(t, 1, won.Load())
	list, err := u.Domains().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
}
