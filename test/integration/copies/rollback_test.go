// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package copies

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// settle is sufficient for several comparisons and checks of the anchor.
const settle = 3 * anchor.Period

// collected bounds the time until the garbage collector, which may have been restarted with the
// cluster, has deleted the objects whose owners are missing in the accepted store.
const collected = 4 * framework.Limit

// ids returns the IDs of all domains in Takaro.
func (s *site) ids() []string {
	var ids []string
	for _, domain := range s.takaro.Domains() {
		ids = append(ids, domain.ID)
	}
	return ids
}

// requireLogin requires that the root login in the Secret of a Domain is valid for its domain.
func (s *site) requireLogin(name string) {
	s.t.Helper()
	root := name + "-root"
	require.True(s.t, s.takaro.PasswordIs(s.secret(root, "username"), s.secret(root, "password")), "the root login of %s works", name)
}

// stranger creates a domain without Roadstead.
func (s *site) stranger() takaro.Domain {
	s.t.Helper()
	found, err := s.takaro.PlantStranger(takaro.Stranger{Reference: "of-a-stranger"})
	require.NoError(s.t, err)
	return found
}

func (s *site) requireUntouched(stranger takaro.Domain) {
	s.t.Helper()
	found, exists := s.takaro.Domain(stranger.ID)
	require.True(s.t, exists)
	require.Equal(s.t, stranger, found)
}

// TestRollBack_Host restores the etcd of the cluster from a backup, but not the store of Roadstead.
// The store has objects whose Secrets the cluster has lost, and objects in a namespace that the
// cluster has lost.
func TestRollBack_Host(t *testing.T) {
	s := newSite(t)
	stranger := s.stranger()
	s.createDomain(domainName)
	s.createUser()
	s.awaitDomain(framework.Limit, domainName, readyReason)
	s.awaitUser(framework.Limit)
	password, login := s.secret(domainName+"-root", "password"), s.secret(userSecret, "password")

	backup := original.BackUp(t)
	s.createDomain("after")
	s.awaitDomain(framework.Limit, "after", readyReason)
	later := *s
	later.namespace = original.Namespace(t)
	later.storeToken(tokenSecret)
	later.createDomain("lost")
	later.awaitDomain(framework.Limit, "lost", readyReason)
	before := s.ids()

	original.RollBack(t, framework.Host, backup)
	_, err := original.Admin.CoreV1().Namespaces().Get(t.Context(), later.namespace, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	s.awaitEndpoint(firstLooks, verified)
	s.awaitDomain(firstLooks, domainName, readyReason)
	s.awaitUser(firstLooks)
	s.describe(domainName, "changed after the restore")
	s.awaitDomain(framework.Limit, domainName, readyReason)
	s.during(settle, func() { require.Equal(t, before, s.ids(), "no domain is deleted or created anew") })
	s.requireUntouched(stranger)
	assert.Equal(t, password, s.secret(domainName+"-root", "password"))
	assert.Equal(t, login, s.secret(userSecret, "password"))
	s.requireLogin(domainName)
	assert.NotEmpty(t, s.get("after").Status.DomainID)
	assert.Nil(t, later.get("lost").DeletionTimestamp)
}

// TestRollBack_Store restores the store of Roadstead from a backup, but not the cluster. The store
// lacks the changes since the backup: those of a Domain that it contains, a Domain that it does not
// contain, and a Domain with a typed reference.
func TestRollBack_Store(t *testing.T) {
	s := newSite(t)
	stranger := s.stranger()
	s.createDomain(domainName)
	s.createUser()
	s.awaitDomain(framework.Limit, domainName, readyReason)
	s.awaitUser(framework.Limit)
	// The Domain has no domain in Takaro yet at the time of the backup.
	const late = "late-credentials"
	s.createDomain("pending", func(spec *v1alpha1.DomainSpec) {
		spec.CredentialsSecretRef = &v1alpha1.SecretKeyReference{Name: late}
	})
	s.awaitDomain(framework.Limit, "pending", "False "+v1alpha1.ReasonSecretNotFound)
	password := s.secret(domainName+"-root", "password")

	backup := original.BackUp(t)
	s.storeToken(late)
	typed := func(spec *v1alpha1.DomainSpec) { spec.ExternalReferenceID = "typed-by-the-team" }
	s.createDomain("typed", typed)
	s.createDomain("after")
	for _, name := range []string{"pending", "typed", "after"} {
		s.awaitDomain(framework.Limit, name, readyReason)
	}
	before, pending := s.ids(), s.get("pending").Status.DomainID
	pendingPassword := s.secret("pending-root", "password")

	original.RollBack(t, framework.Store, backup)
	s.awaitEndpoint(firstLooks, verified)
	s.awaitDomain(firstLooks, domainName, readyReason)
	s.awaitUser(firstLooks)
	assert.Equal(t, password, s.secret(domainName+"-root", "password"))
	found := s.awaitDomain(firstLooks, "pending", readyReason)
	assert.Equal(t, pending, found.Status.DomainID, "it finds its domain by the create key")
	assert.Equal(t, pendingPassword, s.secret("pending-root", "password"), "the login is not overwritten")
	s.requireLogin("pending")

	// The team reapplies the objects that the store has lost.
	s.createDomain("typed", typed)
	s.createDomain("after")
	s.awaitDomain(framework.Limit, "typed", "False "+v1alpha1.ReasonExternalReferenceTaken)
	// The garbage collector must first delete the Secrets of the lost Domain with this name.
	s.awaitDomain(collected, "after", readyReason)
	s.requireLogin("after")
	s.during(settle, func() { require.Subset(t, s.ids(), before, "no domain is deleted") })
	s.requireUntouched(stranger)
	s.delete("typed")
	framework.Await(t, "the end of Domain typed", func() error {
		_, err := s.api.Domains(s.namespace).Get(t.Context(), "typed", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return assert.AnError
	})
	require.Subset(t, s.ids(), before, "the one with the typed reference belongs to nobody, and stays")
}
