// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
)

// adopting is a Domain that adopts existing objects with the admin token of the installation.
const adopting = `
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: %s}
spec: {takaroApiUrl: "https://api.takaro.example", externalReferenceId: %s, adopt: true}
`

// TestANamespacesAdministratorCannotRaiseHimself verifies that an administrator of a namespace can
// grant only rights that the administrator has. These do not include the admin token of the
// installation.
func TestANamespacesAdministratorCannotRaiseHimself(t *testing.T) {
	namespace := env.Namespace(t)
	env.Kubectl(t, "", "create", "rolebinding", "admin", "--clusterrole=admin", "--user=nora", "-n", namespace)
	for _, right := range known("admin") {
		right.Namespace = namespace
		env.AwaitAccess(t, "nora", right)
	}
	env.AwaitAccess(t, "nora", authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Group: "rbac.authorization.k8s.io",
		Resource: "rolebindings"})
	for _, role := range []string{"roadstead:takaro-viewer", "roadstead:takaro-editor", "roadstead:release-viewer"} {
		env.Kubectl(t, "", "create", "rolebinding", env.Name("given"), "--clusterrole="+role, "--user=otto", "-n", namespace, "--as=nora")
	}
	for _, role := range []string{"roadstead:takaro-admin", "roadstead:release-operator", "roadstead:release-admin"} {
		problems := refused(t, "", "create", "rolebinding", env.Name("taken"), "--clusterrole="+role, "--user=nora", "-n", namespace, "--as=nora")
		require.Contains(t, problems, "attempting to grant RBAC permissions not currently held", role)
	}
	problems := refused(t, "", "create", "role", "adopter", "--verb=adopt", "--resource=domains."+takaroGroup, "-n", namespace, "--as=nora")
	require.Contains(t, problems, "attempting to grant RBAC permissions not currently held")
}

// TestAdoptionMayBeGivenForOneName verifies the procedure of docs/roles.md.
func TestAdoptionMayBeGivenForOneName(t *testing.T) {
	namespace := env.Namespace(t)
	in := "--namespace=" + namespace
	env.Kubectl(t, "", "create", "rolebinding", "editor", "--clusterrole=roadstead:takaro-editor", "--user=eve", in)
	env.Kubectl(t, "", "create", "role", "domain-adopter", "--verb=adopt", "--resource=domains.takaro.roadstead.dev",
		"--resource-name=community", in)
	env.Kubectl(t, "", "create", "rolebinding", "domain-adopter", "--role=domain-adopter", "--user=eve", in)
	env.AwaitAccess(t, "eve", authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "adopt", Group: takaroGroup,
		Resource: "domains", Name: "community"})
	env.AwaitAccess(t, "eve", authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create",
		Group: takaroGroup, Resource: "domains"})
	env.Kubectl(t, fmt.Sprintf(adopting, "community", namespace), "create", "-f", "-", in, "--as=eve")
	require.Contains(t, refused(t, fmt.Sprintf(adopting, "other", "other-"+namespace), "create", "-f", "-", in, "--as=eve"),
		`request the RBAC verb "adopt" on domains`)

	env.Kubectl(t, "", "create", "rolebinding", "admin", "--clusterrole=roadstead:takaro-admin", "--user=ada", in)
	env.AwaitAccess(t, "ada", authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "adopt", Group: takaroGroup, Resource: "domains"})
	env.Kubectl(t, fmt.Sprintf(adopting, "other", "other-"+namespace), "create", "-f", "-", in, "--as=ada")
}
