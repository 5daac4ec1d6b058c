// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

const domainsResource = "domains.takaro.roadstead.dev"

// adminKubectl runs kubectl with all rights in the namespace of the team.
func (u *team) adminKubectl(stdin string, args ...string) {
	u.T.Helper()
	env.Kubectl(u.T, stdin, append(args, "-n", u.Namespace)...)
}

// TestLedgerIsTheControllers verifies that only the controller can change a ledger, regardless of
// the rights and the request type of other callers.
func TestLedgerIsTheControllers(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	u.requireWhole("arena")
	before := u.get("arena")
	require.NotNil(t, before.Status.Ownership)
	require.Len(t, before.Status.Ownership.Records, 1)
	require.Equal(t, before.Status.DomainID, before.Status.Ownership.Records[0].ID)

	forged := `{"status":{"ownership":{"records":[{"kind":"Domain","id":"forged","key":"forged","state":"Held","origin":"Created",` +
		`"since":"2026-01-01T00:00:00Z"}]}}}`
	for name, args := range map[string][]string{
		"forged":  {"--type=merge", "-p", forged},
		"emptied": {"--type=merge", "-p", `{"status":{"ownership":{"records":[]}}}`},
		"removed": {"--type=merge", "-p", `{"status":{"ownership":null}}`},
		"by path": {"--type=json", "-p", `[{"op":"remove","path":"/status/ownership"}]`},
	} {
		u.adminKubectl("", append([]string{"patch", domainsResource, "arena", "--subresource=status"}, args...)...)
		assert.Equal(t, before.Status.Ownership, u.get("arena").Status.Ownership, name)
	}

	copied := u.get("arena")
	copied.ManagedFields, copied.ResourceVersion = nil, ""
	copied.Status.Ownership.Records[0].ID = "forged"
	copied.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Domain"}
	text, err := json.Marshal(copied)
	require.NoError(t, err)
	for _, subresource := range []string{"", "--subresource=status"} {
		args := []string{"apply", "--server-side", "--force-conflicts", "--field-manager=backup-tool", "-f", "-"}
		if subresource != "" {
			args = append(args, subresource)
		}
		u.adminKubectl(string(text), args...)
		assert.Equal(t, before.Status.Ownership, u.get("arena").Status.Ownership, "apply %s", subresource)
	}
	u.Kubectl(t, "delete", domainsResource, "arena", "--timeout=60s")
	_, left := u.Takaro.Domain(before.Status.DomainID)
	assert.False(t, left, "the controller kept its ledger, and deleted the domain")
}

// TestCopiedDomainOwnsNothing verifies that a copy in another namespace, including its status, does
// not own the domain of the original.
func TestCopiedDomainOwnsNothing(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	original := u.requireWhole("arena")
	copied := u.get("arena")
	status := copied.Status.DeepCopy()
	copied.ObjectMeta = metav1.ObjectMeta{Name: "arena"}
	copied.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "Domain"}
	text, err := json.Marshal(copied)
	require.NoError(t, err)

	other := &team{env.TeamWithoutToken(t, u.Takaro)}
	created := &v1alpha1.Domain{}
	require.NoError(t, json.Unmarshal([]byte(other.KubectlIn(t, string(text), "create", "-o", "json", "-f", "-")), created))
	assert.Equal(t, &ownership.Status{}, created.Status.Ownership)
	assert.Empty(t, created.Status.DomainID)

	// Backup tools also restore the status.
	restored, err := json.Marshal(map[string]any{"status": status})
	require.NoError(t, err)
	other.adminKubectl("", "patch", domainsResource, "arena", "--subresource=status", "--type=merge", "-p", string(restored))
	assert.NotContains(t, fmt.Sprint(other.get("arena").Status.Ownership), original.ID)
	other.Kubectl(t, "delete", domainsResource, "arena", "--timeout=60s")
	_, left := u.Takaro.Domain(original.ID)
	assert.True(t, left)
}

// TestReservedReferences verifies that users cannot set references in Roadstead's format, and that
// the domain of a deleted Domain is adopted.
func TestReservedReferences(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	for reference, says := range map[string]string{
		"roadstead:x:y":      `may not start with "roadstead:"`,
		"roadstead-anchor:x": `may not start with "roadstead-anchor:"`,
		"retained:x:y":       "set spec.adopt to true",
	} {
		problems := u.KubectlFails(t, u.manifest("refused", ownLogin, fmt.Sprintf("externalReferenceId: %q", reference)), "create", "-f", "-")
		assert.Contains(t, problems, says, reference)
	}
	u.apply("arena", ownLogin, "deletionPolicy: Retain")
	made := u.requireWhole("arena")
	u.Kubectl(t, "delete", domainsResource, "arena", "--timeout=60s")
	after, left := u.Takaro.Domain(made.ID)
	require.True(t, left)
	require.True(t, strings.HasPrefix(after.ExternalReference, "retained:"), after.ExternalReference)
	u.apply("again", ownLogin, fmt.Sprintf("externalReferenceId: %q", after.ExternalReference), "adopt: true")
	assert.Equal(t, made.ID, u.awaitReady("again").Status.DomainID)
	require.Contains(t, u.KubectlFails(t, "", "patch", domainsResource, "again", "--type=merge", "-p", `{"spec":{"adopt":false}}`),
		"must stay true")
}

// TestForegroundDeletionWithOwnedCredentials verifies that there is no deadlock if a Domain owns
// the Secret that it references.
func TestForegroundDeletionWithOwnedCredentials(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	u.apply("arena", ownLogin)
	made := u.requireWhole("arena")
	u.adminKubectl("", "patch", "secret", framework.AdminSecret, "--type=merge", "-p",
		fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":`+
			`"takaro.roadstead.dev/v1alpha1","kind":"Domain","name":"arena","uid":%q,"blockOwnerDeletion":true}]}}`, u.get("arena").UID))
	u.Kubectl(t, "delete", domainsResource, "arena", "--cascade=foreground", "--timeout=60s")
	_, left := u.Takaro.Domain(made.ID)
	assert.False(t, left)
	framework.Await(t, "the Secret is deleted", func() error { return u.absent(framework.AdminSecret) })
}

// TestOrphanedAndAppliedAgain verifies that, after kubectl delete --cascade=orphan, applying the
// same objects continues with the remaining ones.
func TestOrphanedAndAppliedAgain(t *testing.T) {
	t.Parallel()
	u := newTeam(t, takaro.Options{})
	user := "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: ada}\n" +
		"spec: {email: ada@example.com, domainRef: {name: arena}}\n"
	u.apply("arena", ownLogin)
	first := u.requireWhole("arena")
	u.KubectlIn(t, user, "apply", "-f", "-")
	u.Kubectl(t, "wait", "--for=condition=Ready", "users.takaro.roadstead.dev/ada", "--timeout=60s")
	u.Kubectl(t, "delete", domainsResource, "arena", "--cascade=orphan", "--timeout=60s")
	u.Kubectl(t, "get", "users.takaro.roadstead.dev", "ada")
	for _, name := range []string{"arena-root", "arena-registration-token"} {
		assert.Empty(t, u.secret(name).OwnerReferences, name)
	}

	u.apply("arena", ownLogin)
	second := u.requireWhole("arena")
	assert.NotEqual(t, first.ID, second.ID)
	assert.Equal(t, u.get("arena").UID, controllerOf(t, u.secret("arena-root")))
	u.Kubectl(t, "wait", "--for=condition=Ready", "users.takaro.roadstead.dev/ada", "--timeout=120s")
	u.Kubectl(t, "delete", "users.takaro.roadstead.dev", "ada", "--timeout=60s")
}

func controllerOf(t *testing.T, secret *corev1.Secret) any {
	t.Helper()
	controller := metav1.GetControllerOf(secret)
	require.NotNil(t, controller, secret.Name)
	return controller.UID
}
