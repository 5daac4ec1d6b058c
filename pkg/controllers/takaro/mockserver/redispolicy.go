// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/util/names"
)

const (
	// redisPolicyName is the name of the NetworkPolicy that the controller creates. The shipped
	// NetworkPolicy admits only the controller.
	redisPolicyName = "roadstead-redis-mock-servers"
	redisPortName   = "redis"
	// policyPeriod is the time after which the policy is compared again even if none of its inputs
	// changed.
	policyPeriod = 5 * time.Minute
)

// RedisPolicy admits the pods of MockServers to the bundled Redis, only from the namespaces that
// have MockServers in the shared Redis. The label of these pods is not sufficient, since any user
// may set it on a pod, whereas the name of a namespace cannot be chosen. Without a StatefulSet of
// the bundled Redis RedisPolicy does nothing.
type RedisPolicy struct {
	// Set returns the StatefulSet of the bundled Redis, or nil.
	Set func() *appsv1.StatefulSet
	// Cached reads MockServers.
	Cached client.Reader
	// Live reads the NetworkPolicy, which is not in the cache.
	Live   client.Reader
	Writer client.Writer
	Clock  clock.PassiveClock

	// last is the input of the last comparison, at the time compared.
	last     string
	compared time.Time
}

var (
	_ manager.Runnable               = &RedisPolicy{}
	_ manager.LeaderElectionRunnable = &RedisPolicy{}
)

// NeedLeaderElection implements manager.LeaderElectionRunnable. Only the leader maintains the
// policy.
func (r *RedisPolicy) NeedLeaderElection() bool { return true }

// Start compares the policy every ten seconds until ctx is canceled.
func (r *RedisPolicy) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := r.follow(ctx); err != nil && ctx.Err() == nil {
			logf.FromContext(ctx).Error(err, "Admitting namespaces to the bundled Redis failed", "retryAfter", redisPeriod.String())
		}
	}, redisPeriod)
	return nil
}

// follow creates or updates the policy.
func (r *RedisPolicy) follow(ctx context.Context) error {
	set := r.Set()
	if set == nil {
		return nil
	}
	namespaces, err := r.namespaces(ctx)
	if err != nil {
		return err
	}
	wanted := redisPolicy(set, namespaces)
	hash := hashOf(wanted)
	if hash == r.last && r.Clock.Since(r.compared) < policyPeriod {
		return nil
	}
	if err := r.apply(ctx, wanted); err != nil {
		return err
	}
	r.last, r.compared = hash, r.Clock.Now()
	return nil
}

func (r *RedisPolicy) apply(ctx context.Context, wanted *networkingv1.NetworkPolicy) error {
	stored := &networkingv1.NetworkPolicy{}
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(wanted), stored)
	if apierrors.IsNotFound(err) {
		if err := r.Writer.Create(ctx, wanted); err != nil {
			return fmt.Errorf("create NetworkPolicy %s/%s: %w", wanted.Namespace, wanted.Name, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("get NetworkPolicy %s/%s: %w", wanted.Namespace, wanted.Name, err)
	}
	if apiequality.Semantic.DeepEqual(stored.Spec, wanted.Spec) && apiequality.Semantic.DeepEqual(stored.OwnerReferences,
		wanted.OwnerReferences) {
		return nil
	}
	stored.Spec, stored.OwnerReferences = wanted.Spec, wanted.OwnerReferences
	if err := r.Writer.Update(ctx, stored); err != nil {
		return fmt.Errorf("update NetworkPolicy %s/%s: %w", wanted.Namespace, wanted.Name, err)
	}
	return nil
}

// namespaces returns the sorted namespaces of MockServers that use the shared Redis.
func (r *RedisPolicy) namespaces(ctx context.Context) ([]string, error) {
	list := &v1alpha1.MockServerList{}
	if err := r.Cached.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list MockServers: %w", err)
	}
	found := sets.New[string]()
	for i := range list.Items {
		if list.Items[i].Spec.Redis == nil {
			found.Insert(list.Items[i].Namespace)
		}
	}
	return slices.Sorted(slices.Values(found.UnsortedList())), nil
}

// redisPolicy returns the policy, which is deleted with the StatefulSet. Without namespaces it
// admits no pods.
func redisPolicy(set *appsv1.StatefulSet, namespaces []string) *networkingv1.NetworkPolicy {
	policy := &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: redisPolicyName,
			Labels: map[string]string{secrets.ManagedByLabel: secrets.ManagedByValue, names.NameLabel: names.Redis},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "StatefulSet",
				Name: set.Name, UID: set.UID}}},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{names.NameLabel: names.Redis}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		},
	}
	if len(namespaces) == 0 {
		return policy
	}
	policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{
		From: []networkingv1.NetworkPolicyPeer{{
			NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: namespaces}}},
			PodSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: Label, Operator: metav1.LabelSelectorOpExists}}},
		}},
		Ports: []networkingv1.NetworkPolicyPort{{Port: ptr.To(intstr.FromString(redisPortName)), Protocol: ptr.To(corev1.ProtocolTCP)}},
	}}
	return policy
}
