// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/klog/v2"
)

var quick = Patience{Answer: 200 * time.Millisecond, Every: 5 * time.Millisecond, Longest: 20 * time.Millisecond, Report: time.Hour}

// newHost returns a cluster that serves everything that Parts needs, except for the resources of
// without.
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

// reviews adds a reactor for SelfSubjectAccessReviews to the cluster.
func reviews(client *fake.Clientset, answer func(authorizationv1.ResourceAttributes) (bool, error)) {
	client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		allowed, err := answer(*review.Spec.ResourceAttributes)
		review.Status.Allowed = allowed
		return true, review, err
	})
}

func all(authorizationv1.ResourceAttributes) (bool, error) { return true, nil }

func gauge(t *testing.T, metric *metrics.GaugeVec, labels ...string) float64 {
	t.Helper()
	value, err := testutil.GetGaugeMetricValue(metric.WithLabelValues(labels...))
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
	missing, err := Await(t.Context(), client, Parts(), Patience{Answer: time.Hour, Every: time.Hour})
	require.NoError(t, err, "no patience helps")
	require.Len(t, missing, 1)
	require.Equal(t, "MutatingAdmissionPolicy", missing[0].Part)
	require.Equal(t, 1., gauge(t, dropped, "MutatingAdmissionPolicy", NotServed))
}

func TestAHostWithoutAGroup(t *testing.T) {
	client := newHost("flowschemas", "prioritylevelconfigurations")
	reviews(client, all)
	missing, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Len(t, missing, 1)
	require.Equal(t, Fairness+" "+NotServed, missing[0].Part+" "+missing[0].Reason)
}

// granting returns a reactor that denies a permission the given number of times, always if times is
// negative.
func granting(client *fake.Clientset, denied func(authorizationv1.ResourceAttributes) bool, times int) {
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) {
		if !denied(a) {
			return true, nil
		}
		times--
		return times == -1, nil
	})
}

func TestAwait_RightsThatComeLate(t *testing.T) {
	for name, denied := range map[string]func(authorizationv1.ResourceAttributes) bool{
		"policies": func(a authorizationv1.ResourceAttributes) bool {
			return a.Resource == "mutatingadmissionpolicies" && a.Verb == "list"
		},
		"webhooks": func(a authorizationv1.ResourceAttributes) bool {
			return a.Resource == "validatingwebhookconfigurations" && a.Verb == "list"
		},
		"quotas": func(a authorizationv1.ResourceAttributes) bool {
			return a.Resource == "resourcequotas" && a.Verb == "update"
		},
		"namespaces": func(a authorizationv1.ResourceAttributes) bool {
			return a.Resource == "namespaces" && a.Verb == "watch"
		},
		"authorizer": func(a authorizationv1.ResourceAttributes) bool { return a.Resource == "subjectaccessreviews" },
		"flow schemas": func(a authorizationv1.ResourceAttributes) bool {
			return a.Resource == "flowschemas" && a.Verb == "list"
		},
		"one object": func(a authorizationv1.ResourceAttributes) bool { return a.Name == "extension-apiserver-authentication" },
	} {
		t.Run(name, func(t *testing.T) {
			dropped.Reset()
			client := newHost()
			granting(client, denied, 30)
			patience := Patience{Answer: time.Minute, Every: time.Millisecond, Longest: 2 * time.Millisecond}
			missing, err := Await(t.Context(), client, Parts(), patience)
			require.NoError(t, err)
			require.Empty(t, missing, "no part is off")
		})
	}
}

func TestAwait_MissingRights(t *testing.T) {
	dropped.Reset()
	var logs strings.Builder
	client := newHost("flowschemas")
	asked := make(chan struct{}, 1000)
	granting(client, func(a authorizationv1.ResourceAttributes) bool {
		if a.Resource == "mutatingadmissionpolicies" && a.Verb == "list" {
			asked <- struct{}{}
			return true
		}
		return a.Resource == "configmaps" && a.Namespace == "kube-system" && a.Name == "extension-apiserver-authentication" && a.Verb == "get"
	}, -1)
	logger := funcr.New(func(_, line string) { logs.WriteString(line + "\n") }, funcr.Options{})
	ctx, cancel := context.WithCancelCause(klog.NewContext(t.Context(), logger))
	stopped := errors.New("stopped")
	go func() {
		for range 5 {
			<-asked
		}
		cancel(stopped)
	}()
	missing, err := Await(ctx, client, Parts(), quick)
	require.ErrorIs(t, err, stopped, "it waits until it is ended")
	require.Empty(t, missing)
	require.Equal(t, 1., gauge(t, missingRights, "MutatingAdmissionPolicy"))
	require.Equal(t, 1., gauge(t, missingRights, Authentication))
	require.Equal(t, 0., gauge(t, missingRights, "ValidatingAdmissionPolicy"))
	require.Equal(t, 0., gauge(t, dropped, Fairness, NotServed), "what is off is decided when every right is there")
	for _, says := range []string{
		"The server does not start yet: MutatingAdmissionPolicy: this server lacks the permission to list " +
			"mutatingadmissionpolicies.admissionregistration.k8s.io in the cluster; " +
			"apply the ClusterRole roadstead-apiserver of this release's manifests, or set --disable-admission-plugins=MutatingAdmissionPolicy",
		"The server does not start yet: Authentication: this server lacks the permission to get configmaps " +
			"kube-system/extension-apiserver-authentication in the cluster; " +
			"apply the RoleBinding roadstead-apiserver:authentication-reader in namespace kube-system of this release's manifests\"",
	} {
		require.Equal(t, 1, strings.Count(logs.String(), says), "once in a period of reports: %s", logs.String())
	}
}

func TestAwait_EssentialPartNotServed(t *testing.T) {
	client := newHost("namespaces")
	granting(client, func(a authorizationv1.ResourceAttributes) bool { return a.Resource == "resourcequotas" }, -1)
	_, err := Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "NamespaceLifecycle cannot be off, but the cluster does not serve namespaces.v1", "no right helps")
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

// refusing returns errors for the first requests for the version.
func refusing(client *fake.Clientset, times int) {
	client.PrependReactor("get", "version", func(clienttesting.Action) (bool, runtime.Object, error) {
		times--
		return times >= 0, nil, apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "get",
			schema.GroupResource{}, "", "starting", 0, true)
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
	require.ErrorContains(t, err, "no response of kube-apiserver within 200ms: version:")
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
	require.ErrorContains(t, err, "check the permission to get configmaps kube-system/extension-apiserver-authentication: etcd is slow")
	client.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil,
			errors.New("no discovery")
	})
	_, err = Await(t.Context(), client, Parts(), quick)
	require.ErrorContains(t, err, "discovery of v1: no discovery")
	require.IsType(t, &fakediscovery.FakeDiscovery{}, client.Discovery())
}
