// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domain"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/controllers/takaro/user"
)

// ofDomain reports whether what refers to a Domain uses the installation's credentials. A Domain that does not exist has none.
func (s *seen) ofDomain(namespace, name string) bool {
	foreign, exists := s.foreign[client.ObjectKey{Namespace: namespace, Name: name}]
	return exists && !foreign
}

func countDomains(ctx context.Context, cached client.Reader, all *seen) error {
	list := &takarov1alpha1.DomainList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		own := one.Spec.CredentialsSecretRef != nil
		all.foreign[client.ObjectKeyFromObject(one)] = own
		all.add(facts{
			kind: "Domain", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: domain.Finalizer,
			installation: !own,
		})
	}
	return err
}

func countMockServers(ctx context.Context, cached client.Reader, all *seen) error {
	list := &takarov1alpha1.MockServerList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		installation := one.Spec.CredentialsSecretRef == nil
		if one.Spec.DomainRef != nil {
			installation = all.ofDomain(one.Namespace, one.Spec.DomainRef.Name)
		}
		bundled := one.Spec.Redis == nil
		all.add(facts{
			kind: "MockServer", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: mockserver.Finalizer,
			// Its deletion waits for its Redis, too.
			installation: installation && (bundled || one.DeletionTimestamp == nil), bundledRedis: bundled,
		})
	}
	return err
}

func countUsers(ctx context.Context, cached client.Reader, all *seen) error {
	list := &takarov1alpha1.UserList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		all.add(facts{
			kind: "User", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: user.Finalizer,
			installation: all.ofDomain(one.Namespace, one.Spec.DomainRef.Name),
		})
	}
	return err
}

// countApprovals counts by decision, which is what an Approval has for a phase.
func countApprovals(ctx context.Context, cached client.Reader, all *seen) error {
	list := &releasev1alpha1.ApprovalList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		all.add(facts{kind: "Approval", phase: string(one.Status.Decision), object: one, conditions: one.Status.Conditions})
	}
	return err
}

func countOperators(ctx context.Context, cached client.Reader, all *seen) error {
	list := &releasev1alpha1.OperatorList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		all.add(facts{kind: "Operator", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions})
	}
	return err
}

func countOperatorVersions(ctx context.Context, cached client.Reader, all *seen) error {
	list := &releasev1alpha1.OperatorVersionList{}
	err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
	for i := range list.Items {
		one := &list.Items[i]
		all.add(facts{kind: "OperatorVersion", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions})
	}
	return err
}
