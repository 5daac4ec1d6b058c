// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func mockServerIn(namespace string, redis *v1alpha1.MockServerRedis) *v1alpha1.MockServer {
	server := named("uid-of-"+namespace, "game")
	server.Namespace, server.Spec.Redis = namespace, redis
	return server
}

func TestRedisPolicyFollowsMockServers(t *testing.T) {
	kinds := runtime.NewScheme()
	require.NoError(t, clientscheme.AddToScheme(kinds))
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	set := shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml")
	set.UID = "of-the-set"
	c := fake.NewClientBuilder().WithScheme(kinds).WithObjects(set, mockServerIn("team-a", nil), mockServerIn("own",
		&v1alpha1.MockServerRedis{Host: "other"})).Build()
	now := clocktesting.NewFakePassiveClock(time.Now())
	policy := &RedisPolicy{Set: bundledSet(t, c), Cached: c, Live: c, Writer: c, Clock: now}
	stored := func() *networkingv1.NetworkPolicy {
		t.Helper()
		require.NoError(t, policy.follow(t.Context()))
		found := &networkingv1.NetworkPolicy{}
		require.NoError(t, c.Get(t.Context(), client.ObjectKey{Namespace: systemSpace, Name: redisPolicyName}, found))
		return found
	}
	mock := statefulSet(deploymentOf()).Spec.Template.Labels
	first := stored()
	assert.True(t, matches(t, &first.Spec.PodSelector, set.Spec.Template.Labels))
	for name, c := range map[string]struct {
		namespace string
		pod       map[string]string
		admitted  bool
	}{
		"a mock game server":                        {"team-a", mock, true},
		"a pod with its label in another namespace": {"team-b", mock, false},
		"a pod with its label in the system's":      {systemSpace, mock, false},
		"a mock game server with another Redis":     {"own", mock, false},
		"any pod":                                   {"team-a", map[string]string{"app": "any"}, false},
	} {
		assert.Equal(t, c.admitted, admits(t, first, c.namespace, c.pod), name)
	}
	require.Len(t, first.Spec.Ingress[0].Ports, 1)
	assert.Equal(t, set.Spec.Template.Spec.Containers[0].Ports[0].Name, first.Spec.Ingress[0].Ports[0].Port.StrVal)
	require.Len(t, first.OwnerReferences, 1)
	assert.Equal(t, set.UID, first.OwnerReferences[0].UID, "it is deleted with Redis")
	assert.Equal(t, first.ResourceVersion, stored().ResourceVersion, "nothing is written while nothing changes")

	require.NoError(t, c.Create(t.Context(), mockServerIn("team-b", nil)))
	assert.True(t, admits(t, stored(), "team-b", mock))
	for _, namespace := range []string{"team-a", "team-b"} {
		require.NoError(t, c.Delete(t.Context(), mockServerIn(namespace, nil)))
	}
	empty := stored()
	assert.Empty(t, empty.Spec.Ingress)
	empty.Spec.Ingress = first.Spec.Ingress
	require.NoError(t, c.Update(t.Context(), empty))
	now.SetTime(now.Now().Add(policyPeriod))
	assert.Empty(t, stored().Spec.Ingress, "what somebody else changed is changed back")
}

func TestRedisPolicyWithoutTheBundledRedis(t *testing.T) {
	kinds := runtime.NewScheme()
	require.NoError(t, clientscheme.AddToScheme(kinds))
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	c := fake.NewClientBuilder().WithScheme(kinds).WithObjects(mockServerIn("team-a", nil)).Build()
	require.NoError(t, (&RedisPolicy{Set: bundledSet(t, c), Cached: c, Live: c, Writer: c, Clock: clock.RealClock{}}).follow(t.Context()))
	list := &networkingv1.NetworkPolicyList{}
	require.NoError(t, c.List(t.Context(), list))
	assert.Empty(t, list.Items)
}
