// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/controllers/takaro/user"
)

// closed is the channel of a replica that is the leader.
var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

var (
	notReady = func(reason string) []metav1.Condition {
		return []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: reason}}
	}
	secretRef = &takarov1alpha1.SecretKeyReference{Name: "admin"}
	earlier   = metav1.NewTime(time.Unix(1000, 0))
	later     = metav1.NewTime(time.Unix(2000, 0))
)

// named returns the metadata of an object in a namespace. If a time is given, the object is being
// deleted and has the finalizers.
func named(name string, deleted *metav1.Time, finalizers ...string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "team", Name: name, DeletionTimestamp: deleted, Finalizers: finalizers}
}

func aDomain(name, reason string, own bool) *takarov1alpha1.Domain {
	one := &takarov1alpha1.Domain{ObjectMeta: named(name, nil)}
	one.Status.Phase, one.Status.Conditions = takarov1alpha1.DomainPending, notReady(reason)
	if own {
		one.Spec.CredentialsSecretRef = secretRef
	}
	return one
}

func aUser(domain, reason string) *takarov1alpha1.User {
	one := &takarov1alpha1.User{ObjectMeta: named("u", nil)}
	one.Spec.DomainRef.Name = domain
	one.Status.Phase, one.Status.Conditions = takarov1alpha1.UserPending, notReady(reason)
	return one
}

func aMockServer(name, reason string, redis *takarov1alpha1.MockServerRedis) *takarov1alpha1.MockServer {
	one := &takarov1alpha1.MockServer{ObjectMeta: named(name, nil), Spec: takarov1alpha1.MockServerSpec{
		DomainRef: &takarov1alpha1.LocalObjectReference{Name: "installations"}, Redis: redis,
	}}
	one.Status.Phase, one.Status.Conditions = takarov1alpha1.MockServerPending, notReady(reason)
	return one
}

func deleted[O client.Object](one O, at *metav1.Time, finalizers ...string) O {
	one.SetDeletionTimestamp(at)
	one.SetFinalizers(finalizers)
	return one
}

func TestObjectCounter(t *testing.T) {
	own := &takarov1alpha1.MockServerRedis{Host: "redis.team"}
	installations := aDomain("installations", takarov1alpha1.ReasonAsSpecified, false)
	installations.Status.Phase, installations.Status.Conditions[0].Status = takarov1alpha1.DomainReady, metav1.ConditionTrue
	tenants := aDomain("tenants", takarov1alpha1.ReasonAdminTokenRefused, true)
	for name, c := range map[string]struct {
		objects []client.Object
		want    string
	}{
		"nothing": {},
		"phases, whatever the namespace": {
			objects: []client.Object{installations, func() client.Object { d := installations.DeepCopy(); d.Namespace = "other"; return d }()},
			want:    `roadstead_objects{kind="Domain",phase="Ready"} 2`,
		},
		"installation's token is refused": {
			objects: []client.Object{aDomain("a", takarov1alpha1.ReasonAdminTokenRefused, false)},
			want: `roadstead_objects_blocked{kind="Domain",reason="AdminTokenRefused"} 1
roadstead_objects{kind="Domain",phase="Pending"} 1`,
		},
		"tenant's token is refused": {
			objects: []client.Object{tenants, aUser("tenants", takarov1alpha1.ReasonAdminTokenRefused)},
			want: `roadstead_objects{kind="Domain",phase="Pending"} 1
roadstead_objects{kind="User",phase="Pending"} 1`,
		},
		"typo in a spec": {
			objects: []client.Object{
				aDomain("a", takarov1alpha1.ReasonEndpointNotConfigured, false), aDomain("b", takarov1alpha1.ReasonSecretNotFound, false),
				aUser("none", takarov1alpha1.ReasonEndpointUnavailable),
			},
			want: `roadstead_objects{kind="Domain",phase="Pending"} 2
roadstead_objects{kind="User",phase="Pending"} 1`,
		},
		"User of a Domain with the installation's credentials": {
			objects: []client.Object{installations, aUser("installations", takarov1alpha1.ReasonEndpointUnavailable)},
			want: `roadstead_objects_blocked{kind="User",reason="EndpointUnavailable"} 1
roadstead_objects{kind="Domain",phase="Ready"} 1
roadstead_objects{kind="User",phase="Pending"} 1`,
		},
		"seed is lost, whatever the credentials": {
			objects: []client.Object{tenants, aUser("tenants", takarov1alpha1.ReasonSeedUnusable)},
			want: `roadstead_objects_blocked{kind="User",reason="SeedUnusable"} 1
roadstead_objects{kind="Domain",phase="Pending"} 1
roadstead_objects{kind="User",phase="Pending"} 1`,
		},
		"bundled Redis is unavailable": {
			objects: []client.Object{aMockServer("a", takarov1alpha1.ReasonRedisUnavailable, nil)},
			want: `roadstead_objects_blocked{kind="MockServer",reason="RedisUnavailable"} 1
roadstead_objects{kind="MockServer",phase="Pending"} 1`,
		},
		"tenant's Redis is unavailable": {
			objects: []client.Object{aMockServer("a", takarov1alpha1.ReasonRedisUnavailable, own)},
			want:    `roadstead_objects{kind="MockServer",phase="Pending"} 1`,
		},
		"sandbox is unavailable": {
			objects: []client.Object{&releasev1alpha1.OperatorVersion{
				ObjectMeta: metav1.ObjectMeta{Name: "v"},
				Status: releasev1alpha1.OperatorVersionStatus{
					Phase: releasev1alpha1.PhasePending, Conditions: notReady(releasev1alpha1.ReasonSandboxUnavailable),
				},
			}},
			want: `roadstead_objects_blocked{kind="OperatorVersion",reason="SandboxUnavailable"} 1
roadstead_objects{kind="OperatorVersion",phase="Pending"} 1`,
		},
		"deletions": {
			objects: []client.Object{
				deleted(aDomain("a", takarov1alpha1.ReasonDeletionBlocked, false), &later, domain.Finalizer),
				deleted(aDomain("b", takarov1alpha1.ReasonEndpointUnavailable, false), &earlier, "else", domain.Finalizer),
				installations, deleted(aUser("installations", takarov1alpha1.ReasonDeletionBlocked), &later, user.Finalizer),
				deleted(aMockServer("m", takarov1alpha1.ReasonDeletionBlocked, nil), &later, mockserver.Finalizer),
			},
			want: `roadstead_objects_oldest_deletion_timestamp_seconds{kind="Domain"} 1000
roadstead_objects_oldest_deletion_timestamp_seconds{kind="MockServer"} 2000
roadstead_objects_oldest_deletion_timestamp_seconds{kind="User"} 2000
roadstead_objects{kind="Domain",phase="Pending"} 2
roadstead_objects{kind="Domain",phase="Ready"} 1
roadstead_objects{kind="MockServer",phase="Pending"} 1
roadstead_objects{kind="User",phase="Pending"} 1`,
		},
		"deletions that a namespace blocks": {
			objects: []client.Object{
				deleted(aDomain("a", takarov1alpha1.ReasonDeletionBlocked, true), &earlier, domain.Finalizer),
				deleted(aDomain("b", takarov1alpha1.ReasonDeletionBlocked, false), &earlier, "else"),
				installations, deleted(aMockServer("m", takarov1alpha1.ReasonRedisUnavailable, own), &earlier, mockserver.Finalizer),
			},
			want: `roadstead_objects{kind="Domain",phase="Pending"} 2
roadstead_objects{kind="Domain",phase="Ready"} 1
roadstead_objects{kind="MockServer",phase="Pending"} 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, err := newScheme()
			require.NoError(t, err)
			stored := fake.NewClientBuilder().WithScheme(kinds).WithObjects(c.objects...).Build()
			counter := &objectCounter{cached: stored, kinds: NewOptions().counted(), elected: closed}
			require.Equal(t, c.want, exposition(t, counter))
			counter.elected = make(chan struct{})
			require.Empty(t, exposition(t, counter), "only the replica that leads counts")
		})
	}
}

// exposition returns the sorted samples of a collector.
func exposition(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	families, err := registry.Gather()
	require.NoError(t, err)
	var text strings.Builder
	for _, family := range families {
		_, err := expfmt.MetricFamilyToText(&text, family)
		require.NoError(t, err)
	}
	var samples []string
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "#") {
			samples = append(samples, strings.TrimSpace(line))
		}
	}
	slices.Sort(samples)
	return strings.Join(samples, "\n")
}
