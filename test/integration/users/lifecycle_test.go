// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	usercontroller "roadstead.dev/roadstead/pkg/controllers/takaro/user"
	"roadstead.dev/roadstead/test/framework"
)

func TestUserBeforeItsDomain(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	out := tm.apply(userManifest("early", "arena", "early@example.com", "roles: [Admin, Moderator]"))
	assert.Contains(t, out, "Warning")
	assert.Contains(t, out, "arena")
	tm.awaitUser("early", "Ready", "False DomainNotFound")

	domain := tm.domain()
	user := tm.awaitReady("early")
	assert.Equal(t, []string{"Admin", "Moderator"}, user.Status.Roles)
	assert.Equal(t, "True PasswordAccepted", passwordValid(user))
	assert.Equal(t, domain.UID, user.OwnerReferences[0].UID)
	made := inTakaro(domain, "early@example.com")
	require.NotNil(t, made)
	assert.Equal(t, user.Status.UserID, made.ID)
	assert.Equal(t, []string{"Admin", "Moderator"}, made.Roles)
	assert.True(t, made.Dashboard)
	login := tm.login("early")
	assert.Equal(t, []string{"early@example.com", "early@example.com", domain.Status.DomainID, env.Takaro.URL()},
		[]string{login["username"], login["email"], login["domainId"], login["takaroApiUrl"]})
	assert.Len(t, login["password"], 32)
	assert.True(t, env.Takaro.PasswordIs("early@example.com", login["password"]))
	tm.await("the Domain's counts", func() error {
		now := tm.awaitDomain()
		return framework.Unless(now.Status.Users.Ready == 1 && now.Status.Users.Total == 1, "they are %+v", now.Status.Users)
	})
	assert.Contains(t, tm.kubectl("", "get", usersResource), "early@example.com")
	assert.NotContains(t, tm.apply(userManifest("late", "arena", "late@example.com")), "Warning", "the Domain is there")
}

func TestDeletedAndMadeAgain(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	tm.apply(userManifest("ci-job", "arena", "ci@"+tm.Namespace+".example"))
	first := tm.awaitReady("ci-job")
	password := tm.login("ci-job")["password"]
	tm.kubectl("", "delete", usersResource, "ci-job", "--timeout=60s")
	assert.Nil(t, inTakaro(domain, first.Spec.Email), "it is gone from Takaro")
	_, err := env.Admin.CoreV1().Secrets(tm.Namespace).Get(t.Context(), "ci-job-takaro-user", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "its login is gone with it, so the name is free at once")
	tm.apply(userManifest("ci-job", "arena", strings.ToUpper("ci")+"@"+tm.Namespace+".example"))
	second := tm.awaitReady("ci-job")
	assert.NotEqual(t, first.Status.UserID, second.Status.UserID)
	assert.Equal(t, "True PasswordAccepted", passwordValid(second))
	assert.Equal(t, password, tm.login("ci-job")["password"], "the same password, though the case of the e-mail differs")
}

func TestIdentityOfOthers(t *testing.T) {
	t.Parallel()
	first, second := newTeam(t), newTeam(t)
	first.domain()
	second.domain()
	first.apply(userManifest("shared", "arena", "shared@example.com"))
	first.awaitReady("shared")
	second.apply(userManifest("shared", "arena", "shared@example.com"))
	user := second.awaitUser("shared", "Ready", "False PasswordUnknown")
	assert.Equal(t, "False PasswordUnknown", passwordValid(user))
	assert.Equal(t, user.Status.UserID, inTakaro(second.awaitDomain(), user.Spec.Email).ID, "the user exists")
	assert.NotContains(t, second.login("shared"), "password", "none that does not work")
	assert.NotEmpty(t, second.login("shared")["email"])

	// A given password that is wrong makes the User not Ready.
	second.kubectl("", "patch", usersResource, "shared", "--type=merge", "-p", `{"spec":{"password":"a-wrong-password"}}`)
	second.awaitUser("shared", "Ready", "False PasswordRefused")
	// The given password is correct.
	right := first.login("shared")["password"]
	second.kubectl("", "create", "secret", "generic", "known", "--from-literal=password="+right)
	second.kubectl("", "patch", usersResource, "shared", "--type=merge", "-p", `{"spec":{"passwordSecretRef":{"name":"known"}}}`)
	user = second.awaitReady("shared")
	assert.Equal(t, "True PasswordAccepted", passwordValid(user))
	assert.Equal(t, right, second.login("shared")["password"])
}

// TestUserOfOthers verifies that a user in Takaro that Roadstead did not create is not changed,
// unless the User adopts it.
func TestUserOfOthers(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	email := "theirs@" + tm.Namespace + ".example"
	tm.apply(userManifest("first", "arena", email, "deletionPolicy: Retain"))
	id := tm.awaitReady("first").Status.UserID
	tm.kubectl("", "delete", usersResource, "first", "--timeout=60s")
	require.Equal(t, id, inTakaro(domain, email).ID, "it is retained")
	tm.apply(userManifest("again", "arena", email))
	tm.awaitUser("again", "Ready", "False EmailTaken")
	tm.kubectl("", "delete", usersResource, "again", "--timeout=60s")
	require.NotNil(t, inTakaro(domain, email))
	tm.apply(userManifest("adopts", "arena", email, "adopt: true", "deletionPolicy: Delete"))
	assert.Equal(t, id, tm.awaitReady("adopts").Status.UserID)
	tm.kubectl("", "delete", usersResource, "adopts", "--timeout=60s")
	assert.Nil(t, inTakaro(domain, email))
}

// TestSeedIsRestored verifies that a deleted seed is restored while the controller runs.
func TestSeedIsRestored(t *testing.T) {
	tm := newTeam(t)
	tm.domain()
	tm.apply(userManifest("seeded", "arena", "seeded@"+tm.Namespace+".example"))
	tm.awaitReady("seeded")
	secrets := env.Admin.CoreV1().Secrets("roadstead-system")
	before, err := secrets.Get(t.Context(), usercontroller.SeedSecretName, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, secrets.Delete(t.Context(), usercontroller.SeedSecretName, metav1.DeleteOptions{}))
	tm.await("the Secret of the seed", func() error {
		found, err := secrets.Get(t.Context(), usercontroller.SeedSecretName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return framework.Unless(found.UID != before.UID && bytes.Equal(found.Data[usercontroller.SeedKey], before.Data[usercontroller.SeedKey]),
			"it has another seed")
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	tm.apply(userManifest("ref", "arena", "r@"+tm.Namespace+".example", "roles: [Moderator, Referee]"))
	user := tm.awaitUser("ref", "RolesAssigned", "False RolesMissing")
	assert.Equal(t, []string{"Moderator"}, user.Status.Roles)
	assert.Equal(t, []string{"Referee"}, user.Status.MissingRoles)
	assert.Equal(t, []string{"Moderator"}, inTakaro(domain, user.Spec.Email).Roles)
	tm.kubectl("", "patch", usersResource, "ref", "--type=merge", "-p", `{"spec":{"roles":["Admin"]}}`)
	user = tm.awaitReady("ref")
	assert.Equal(t, []string{"Admin"}, user.Status.Roles)
	assert.Empty(t, user.Status.MissingRoles)
	assert.Equal(t, []string{"Admin"}, inTakaro(domain, user.Spec.Email).Roles)
}

func TestMaintenance(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	email := "old@" + tm.Namespace + ".example"
	tm.apply(userManifest("old", "arena", email, "roles: [Admin]"))
	before := tm.awaitReady("old")
	tm.kubectl("", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"maintenanceMode":true}}`)
	tm.awaitDomain()
	tm.apply(userManifest("new", "arena", "new@"+tm.Namespace+".example", "roles: [Admin]"))
	tm.awaitUser("new", "Ready", "False DomainInMaintenance")
	assert.Equal(t, before.ResourceVersion, tm.user("old").ResourceVersion, "a Ready User stays as it is")
	tm.kubectl("", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"maintenanceMode":false}}`)
	tm.awaitReady("new")
	assert.Equal(t, []string{"Admin"}, inTakaro(domain, "new@"+tm.Namespace+".example").Roles)
	tm.kubectl("", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"maintenanceMode":true}}`)
	tm.awaitDomain()
	tm.kubectl("", "delete", usersResource, "old", "--timeout=60s")
	assert.Nil(t, inTakaro(domain, email))
}

func TestDrift(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain("domainLimits: {maxUsers: 2}")
	email := "drift@" + tm.Namespace + ".example"
	tm.apply(userManifest("drift", "arena", email, "name: first-name"))
	before := tm.awaitReady("drift")
	tm.kubectl("", "patch", usersResource, "drift", "--type=merge", "-p", `{"spec":{"name":"other-name","dashboardUser":false}}`)
	tm.awaitReady("drift")
	made := inTakaro(domain, email)
	assert.Equal(t, "other-name", made.Name)
	assert.False(t, made.Dashboard)
	assert.Equal(t, before.Status.UserID, made.ID)

	for _, name := range []string{"one", "two", "three"} {
		tm.apply(userManifest(name, "arena", name+"@"+tm.Namespace+".example"))
		if name != "three" {
			tm.awaitReady(name)
		}
	}
	tm.awaitUser("three", "Ready", "False MaxUsersReached")
	tm.kubectl("", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"domainLimits":{"maxUsers":3}}}`)
	tm.awaitReady("three")
}

func TestClaims(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.domain()
	tm.apply(userManifest("aaa", "arena", "same@"+tm.Namespace+".example"))
	out := tm.kubectlFails(userManifest("bbb", "arena", "SAME@"+tm.Namespace+".example"), "create", "-f", "-")
	assert.Contains(t, out, "spec.email: Duplicate value")
	assert.Contains(t, out, "in use by users.takaro.roadstead.dev "+tm.Namespace+"/aaa")
	tm.apply(userManifest("bbb", "elsewhere", "SAME@"+tm.Namespace+".example"))
}

func TestDeletionOfTheDomain(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	tm.apply(userManifest("gone", "arena", "gone@"+tm.Namespace+".example"))
	tm.apply(userManifest("kept", "arena", "kept@"+tm.Namespace+".example", "deletionPolicy: Retain"))
	tm.awaitReady("gone")
	tm.awaitReady("kept")
	tm.kubectl("", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"deletionPolicy":"Retain"}}`)
	tm.awaitDomain()
	tm.kubectl("", "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=60s")
	_, err := tm.Users().Get(t.Context(), "gone", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "its Users are gone before it")
	assert.Nil(t, inTakaro(domain, "gone@"+tm.Namespace+".example"), "it is gone from the domain that stays")
	assert.NotNil(t, inTakaro(domain, "kept@"+tm.Namespace+".example"))
}

func TestDeletionOfTheNamespace(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	domain := tm.domain()
	for _, name := range []string{"one", "two", "three"} {
		tm.apply(userManifest(name, "arena", name+"@"+tm.Namespace+".example"))
		tm.awaitReady(name)
	}
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), tm.Namespace, metav1.DeleteOptions{}))
	tm.await("the namespace goes", func() error {
		_, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), tm.Namespace, metav1.GetOptions{})
		return framework.Unless(apierrors.IsNotFound(err), "it is there: %v", err)
	})
	_, there := env.Takaro.Domain(domain.Status.DomainID)
	assert.False(t, there, "nothing is left in Takaro")
}
