// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

func TestSecretNameTaken(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.Kubectl(t, "create", "secret", "generic", "arena-root", "--from-literal=mine=keep")
	u.apply("arena", ownLogin)
	domain := u.await("arena", v1alpha1.ConditionReady, "False SecretNameTaken")
	assert.Equal(t, v1alpha1.DomainError, domain.Status.Phase)
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), `"arena-root"`)
	assert.Empty(t, u.Takaro.Domains())
	assert.Equal(t, "keep", string(u.secret("arena-root").Data["mine"]))
	u.Kubectl(t, "delete", "secret", "arena-root")
	u.requireWhole("arena")
}

func TestSecretNotFoundThenCreated(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", "credentialsSecretRef: {name: later, key: token}")
	domain := u.await("arena", v1alpha1.ConditionReady, "False SecretNotFound")
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), `Secret "later" is not there`)
	u.StoreToken("later", u.Takaro.AdminToken())
	domain = u.await("arena", v1alpha1.ConditionReady, "False SecretKeyMissing")
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), `"token"`)
	u.Kubectl(t, "patch", "secret", "later", "--type=merge", "-p", `{"stringData":{"token":"`+u.Takaro.AdminToken()+`"}}`)
	u.requireWhole("arena")
	assert.Contains(t, u.secret("later").Finalizers, "roadstead.dev/in-use")
}

func TestEndpointNotConfigured(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", "description: no credentials")
	domain := u.await("arena", v1alpha1.ConditionReady, "False EndpointNotConfigured")
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), "roadstead.dev/takaro-endpoint=true")
	u.patch("arena", `{"credentialsSecretRef":{"name":"takaro-admin"}}`)
	u.requireWhole("arena")
}

func TestRotatedToken(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	u.Takaro.SetAdminToken("a-rotated-admin-token")
	secrets.Store("a-rotated-admin-token", true)
	u.patch("arena", `{"name":"renamed"}`)
	u.await("arena", v1alpha1.ConditionEndpointReady, "False AdminTokenRefused")
	u.StoreToken(framework.AdminSecret, "a-rotated-admin-token")
	u.awaitReady("arena")
	assert.Equal(t, "renamed", u.requireWhole("arena").Name)
}

func TestReferenceTakenThenAdopted(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	theirs, _, err := u.Takaro.PlantDomain(takaro.Seed{Name: "theirs", ExternalReference: "shared-reference", MaxUsers: 3})
	require.NoError(t, err)
	u.apply("arena", ownLogin, "externalReferenceId: shared-reference")
	domain := u.await("arena", v1alpha1.ConditionReady, "False ExternalReferenceTaken")
	assert.Contains(t, message(domain, v1alpha1.ConditionReady), theirs.ID)
	after, _ := u.Takaro.Domain(theirs.ID)
	assert.Equal(t, theirs, after, "nothing is touched")

	u.patch("arena", `{"adopt":true,"deletionPolicy":"Retain","name":"theirs"}`)
	domain = u.awaitReady("arena")
	assert.Equal(t, theirs.ID, domain.Status.DomainID)
	u.await("arena", v1alpha1.ConditionRootCredentials, "False RootPasswordUnknown")
	assert.Contains(t, u.awaitEvent("arena", "DomainAdopted"), theirs.ID)
	assert.Equal(t, theirs.RegistrationToken, string(u.secret("arena-registration-token").Data["token"]))
	after, _ = u.Takaro.Domain(theirs.ID)
	assert.Equal(t, 3, after.MaxUsers, "unset limits of an adopted domain are left alone")

	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	assert.Contains(t, u.awaitEvent("arena", "LeftInTakaro"), theirs.ID)
	after, _ = u.Takaro.Domain(theirs.ID)
	assert.Equal(t, "ACTIVE", after.State)
}

// TestCopiedStatusIsNoEvidence verifies that a status restored from elsewhere does not affect the
// domain that it names.
func TestCopiedStatusIsNoEvidence(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	original := u.requireWhole("arena")
	u.apply("copy", ownLogin)
	u.requireWhole("copy")
	_, _, err := env.Cluster.Kubectl(t.Context(), "patch", "domains.takaro.roadstead.dev", "copy", "-n", u.Namespace,
		"--subresource=status", "--type=merge",
		"-p", `{"status":{"domainId":"`+original.ID+`","externalReferenceId":"`+original.ExternalReference+`"}}`)
	require.NoError(t, err)
	u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "copy", "--timeout=60s")
	assert.Equal(t, original.ID, u.requireWhole("arena").ID)
	require.Len(t, u.Takaro.Domains(), 1)
}

func TestAdoptKeepsTheName(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	theirs, _, err := u.Takaro.PlantDomain(takaro.Seed{Name: "theirs", ExternalReference: "named-by-others"})
	require.NoError(t, err)
	u.apply("arena", ownLogin, "externalReferenceId: named-by-others", "adopt: true")
	u.awaitReady("arena")
	after, _ := u.Takaro.Domain(theirs.ID)
	assert.Equal(t, "theirs", after.Name)
	assert.Empty(t, u.get("arena").Spec.Name)
}

func TestAdoptWaitsForWhatIsNotThere(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin, "externalReferenceId: not-there-yet", "adopt: true")
	u.await("arena", v1alpha1.ConditionReady, "False ExternalReferenceNotFound")
	assert.Equal(t, v1alpha1.DeletionPolicyRetain, u.get("arena").Spec.DeletionPolicy)
	assert.Empty(t, u.Takaro.Domains())
	_, _, err := u.Takaro.PlantDomain(takaro.Seed{ExternalReference: "not-there-yet"})
	require.NoError(t, err)
	u.patch("arena", `{"description":"look now"}`)
	u.awaitReady("arena")
	assert.Len(t, u.Takaro.Domains(), 1)
}
