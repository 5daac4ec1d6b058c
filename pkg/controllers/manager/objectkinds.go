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

// ofDomain reports whether an object that refers to a Domain uses the installation's credentials. A
// Domain that does not exist has none.
func (s *seen) ofDomain(namespace, name string) bool {
	foreign, exists := s.foreign[client.ObjectKey{Namespace: namespace, Name: name}]
	return exists && !foreign
}

// countAll returns a counter of one kind. items returns the items of a list, and of returns the
// facts about an object.
func countAll[T any, L any, P interface {
	*L
	client.ObjectList
}](items func(P) []T, of func(*seen, *T) facts) counter {
	return func(ctx context.Context, cached client.Reader, all *seen) error {
		list := P(new(L))
		err := cached.List(ctx, list, client.UnsafeDisableDeepCopy)
		found := items(list)
		for i := range found {
			all.add(of(all, &found[i]))
		}
		return err
	}
}

var countDomains = countAll(
	func(list *takarov1alpha1.DomainList) []takarov1alpha1.Domain { return list.Items },
	func(all *seen, one *takarov1alpha1.Domain) facts {
		own := one.Spec.CredentialsSecretRef != nil
		all.foreign[client.ObjectKeyFromObject(one)] = own
		return facts{
			kind: "Domain", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: domain.Finalizer,
			installation: !own,
		}
	})

var countMockServers = countAll(
	func(list *takarov1alpha1.MockServerList) []takarov1alpha1.MockServer { return list.Items },
	func(all *seen, one *takarov1alpha1.MockServer) facts {
		installation := one.Spec.CredentialsSecretRef == nil
		if one.Spec.DomainRef != nil {
			installation = all.ofDomain(one.Namespace, one.Spec.DomainRef.Name)
		}
		bundled := one.Spec.Redis == nil
		return facts{
			kind: "MockServer", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: mockserver.Finalizer,
			// Its deletion waits for its Redis too.
			installation: installation && (bundled || one.DeletionTimestamp == nil), bundledRedis: bundled,
		}
	})

var countUsers = countAll(
	func(list *takarov1alpha1.UserList) []takarov1alpha1.User { return list.Items },
	func(all *seen, one *takarov1alpha1.User) facts {
		return facts{
			kind: "User", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions, finalizer: user.Finalizer,
			installation: all.ofDomain(one.Namespace, one.Spec.DomainRef.Name),
		}
	})

// countApprovals counts by decision, because an Approval has no phase.
var countApprovals = countAll(
	func(list *releasev1alpha1.ApprovalList) []releasev1alpha1.Approval { return list.Items },
	func(_ *seen, one *releasev1alpha1.Approval) facts {
		return facts{kind: "Approval", phase: string(one.Status.Decision), object: one, conditions: one.Status.Conditions}
	})

var countOperators = countAll(
	func(list *releasev1alpha1.OperatorList) []releasev1alpha1.Operator { return list.Items },
	func(_ *seen, one *releasev1alpha1.Operator) facts {
		return facts{kind: "Operator", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions}
	})

var countOperatorVersions = countAll(
	func(list *releasev1alpha1.OperatorVersionList) []releasev1alpha1.OperatorVersion { return list.Items },
	func(_ *seen, one *releasev1alpha1.OperatorVersion) facts {
		return facts{kind: "OperatorVersion", phase: string(one.Status.Phase), object: one, conditions: one.Status.Conditions}
	})
