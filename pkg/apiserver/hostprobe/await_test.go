// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/testutil"
)

var quick = Patience{Answer: 200 * time.Millisecond, Rights: 200 * time.Millisecond, Every: 5 * time.Millisecond}

// newHost gives a host that serves all that Parts need but the resources of without.
func newHost(without ...string) *fake.Clientset {
	client := fake.NewClientset()
	served := map[schema.GroupVersion][]metav1.APIResource{}
	for _, need := range Parts() {
		for _, right := range need.Rights {
			if !slices.Contains(without, right.Resource.Resource) {
				served[right.Resource.GroupVersion()] = append(served[right.Resource.GroupVersion()], metav1.APIResource{Name: right.Resource.Resource})
			}
		}
	}
	for gv, resources := range served {
		client.Resources = append(client.Resources, &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: resources})
	}
	return client
}

// reviews makes the host answer questions for own rights.
func reviews(client *fake.Clientset, answer func(authorizationv1.ResourceAttributes) (bool, error)) {
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		allowed, err := answer(*review.Spec.ResourceAttributes)
		review.Status.Allowed = allowed
		return true, review, err
	})
}

func all(authorizationv1.ResourceAttributes) (bool, error) { return true, nil }

func offGauge(t *testing.T, plugin, reason string) float64 {
	t.Helper()
	value, err := testutil.GetGaugeMetricValue(dropped.WithLabelValues(plugin, reason))
	require.NoError(t, err)
	return value
}

func TestAHostThatHasAll(t *testing.T) {
	client := newHost()
	reviews(client, all)
	missing, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Empty(t, missing)
}

func TestAHostBefore136(t *testing.T) {
	dropped.Reset()
	client := newHost("mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
	reviews(client, all)
	missing, err := Await(t.Context(), client, Parts(), Patience{Answer: time.Hour, Rights: time.Hour, Every: time.Hour})
	require.NoError(t, err, "no patience helps")
	require.Len(t, missing, 1)
	require.Equal(t, "MutatingAdmissionPolicy", missing[0].Part)
	require.Equal(t, 1., offGauge(t, "MutatingAdmissionPolicy", NotServed))
}

func TestAHostWithoutAGroup(t *testing.T) {
	client := newHost("flowschemas", "prioritylevelconfigurations")
	reviews(client, all)
	missing, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Len(t, missing, 1)
	require.Equal(t, Fairness+" "+NotServed, missing[0].Part+" "+missing[0].Reason)
}

func TestARightThatIsMissing(t *testing.T) {
	dropped.Reset()
	client := newHost()
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) {
		return a.Resource != "mutatingadmissionpolicies", nil
	})
	missing, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Len(t, missing, 1)
	require.Equal(t, "list mutatingadmissionpolicies.admissionregistration.k8s.io, watch mutatingadmissionpolicies.admissionregistration.k8s.io", missing[0].What)
	require.Equal(t, 1., offGauge(t, "MutatingAdmissionPolicy", Forbidden))
	require.Equal(t, 0., offGauge(t, "ValidatingAdmissionPolicy", Forbidden))
}

func TestARightThatComesLate(t *testing.T) {
	client := newHost()
	asked := 0
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) {
		if a.Resource == "namespaces" && a.Verb == "watch" {
			asked++
			return asked > 3, nil
		}
		return true, nil
	})
	missing, err := Await(t.Context(), client, Parts(), Patience{Answer: time.Minute, Rights: time.Minute, Every: time.Millisecond})
	require.NoError(t, err)
	require.Empty(t, missing)
	require.Equal(t, 4, asked)
}

func TestTheRightToOneObjectIsAskedForByItsName(t *testing.T) {
	client := newHost()
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) {
		return a.Resource != "configmaps" || a.Namespace != "kube-system" || a.Name != "extension-apiserver-authentication" || a.Verb != "get", nil
	})
	_, err := Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "Authentication cannot be off, but this server may not get configmaps kube-system/extension-apiserver-authentication")
}

func TestAnEssentialRightIsAnError(t *testing.T) {
	client := newHost()
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) {
		return a.Resource != "subjectaccessreviews", nil
	})
	_, err := Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "SecretReferenceAccess cannot be off, but this server may not create subjectaccessreviews.authorization.k8s.io")
	require.ErrorContains(t, err, "DomainAdoption")
}

func TestWhatMayNotBeAskedCountsAsThere(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("hardened"))
	client := newHost()
	reviews(client, func(authorizationv1.ResourceAttributes) (bool, error) { return false, forbidden })
	client.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, forbidden })
	missing, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Empty(t, missing)
}

// refusing makes the first requests for the version fail.
func refusing(client *fake.Clientset, times int) {
	client.PrependReactor("get", "version", func(clienttesting.Action) (bool, runtime.Object, error) {
		times--
		return times >= 0, nil, apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "get", schema.GroupResource{}, "", "starting", 0, true)
	})
}

func TestAHostThatStartsLater(t *testing.T) {
	client := newHost()
	reviews(client, all)
	refusing(client, 3)
	_, err := Await(t.Context(), client, Parts(), Patience{Answer: time.Minute, Every: time.Millisecond})
	require.NoError(t, err)
}

func TestAHostThatDoesNotAnswer(t *testing.T) {
	client := newHost()
	refusing(client, 1<<30)
	_, err := Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "host cluster: no answer within 200ms: version:")
	require.ErrorContains(t, err, "--kubeconfig")

	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = Await(stopped, client, Parts(), Patience{Answer: time.Hour, Every: time.Hour})
	require.ErrorIs(t, err, context.Canceled)
}

func TestOtherErrorsAreNoFacts(t *testing.T) {
	client := newHost()
	reviews(client, func(authorizationv1.ResourceAttributes) (bool, error) { return true, errors.New("etcd is slow") })
	_, err := Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "own right to get configmaps kube-system/extension-apiserver-authentication: etcd is slow")
	client.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("no discovery") })
	_, err = Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "discovery of v1: no discovery")
	require.IsType(t, &fakediscovery.FakeDiscovery{}, client.Discovery())
}
