// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

func mayGetSecret(names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}, ResourceNames: names}
}

// TestSecretPairs_DestinationChanged verifies changes of the destination of a Secret by a caller
// that may not get Secrets.
func TestSecretPairs_DestinationChanged(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	u, privileged := limited(t, namespace), env.User(t, namespace, "edit")
	privileged.KubectlIn(t, `apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: game}
spec:
  domainRef: {name: arena}
  redis: {host: redis.example, passwordSecretRef: {name: redis}}
`, "create", "-f", "-")
	for patch, address := range map[string]string{
		`{"spec":{"redis":{"host":"evil.example"}}}`: "evil.example:6379",
		`{"spec":{"redis":{"port":1234}}}`:           "redis.example:1234",
		`{"spec":{"redis":{"username":"evil"}}}`:     "redis.example:6379",
		`{"spec":{"image":"evil.example/game"}}`:     "redis.example:6379",
	} {
		for _, flags := range [][]string{nil, {"--dry-run=server"}} {
			problems := u.KubectlFails(t, "",
				append([]string{"patch", "mockservers.takaro.roadstead.dev", "game", "--type=merge", "-p", patch}, flags...)...)
			require.Contains(t, problems,
				`is forbidden: spec.redis.passwordSecretRef: you may not get Secret "redis" in namespace "`+namespace+
					`", which Roadstead would send to `+address)
		}
	}
	u.KubectlIn(t, "", "patch", "mockservers.takaro.roadstead.dev", "game", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
	privileged.KubectlIn(t, "", "patch", "mockservers.takaro.roadstead.dev", "game", "--type=merge", "-p",
		`{"spec":{"redis":{"host":"other.example"}}}`)

	privileged.KubectlIn(t, manifest("reviewed", "credentialsSecretRef: {name: admin}"), "create", "-f", "-")
	env.Grant(t, u, mayGetSecret("own"))
	problems := u.KubectlFails(t, "", "patch", "domains.takaro.roadstead.dev", "reviewed", "--type=merge", "-p",
		`{"spec":{"caBundleSecretRef":{"name":"own"}}}`)
	require.Contains(t, problems, `spec.credentialsSecretRef: you may not get Secret "admin"`, "the CA decides who gets the token")
}

// TestSecretPairs_UserWaitsForDomain creates the Domain that a User waits for.
func TestSecretPairs_UserWaitsForDomain(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	privileged, u, reader := env.User(t, namespace, "edit"), limited(t, namespace), limited(t, namespace)
	creator := env.User(t, namespace, "")
	env.Grant(t, creator,
		rbacv1.PolicyRule{APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"domains"},
			Verbs: []string{"create", "get", "patch"}})
	env.Grant(t, reader, mayGetSecret("mine", "given-takaro-user"))
	env.Grant(t, creator, mayGetSecret("x"))
	waiting := func(name, spec string) string {
		return `{apiVersion: takaro.roadstead.dev/v1alpha1, kind: User, metadata: {name: ` + name + `}, spec: {email: ` + name +
			`@example.com, domainRef: {name: arena}` + spec + `}}`
	}

	// A password that is still to be generated for the Takaro of the Domain is not a secret yet.
	u.KubectlIn(t, waiting("generated", ""), "create", "-f", "-")
	u.KubectlIn(t, manifest("arena"), "create", "-f", "-", "--dry-run=server")

	for name, spec := range map[string]string{"named": ", passwordSecretRef: {name: mine}", "given": ", password: a-password"} {
		privileged.KubectlIn(t, waiting(name, spec), "create", "-f", "-")
		secret := map[string]string{"named": "mine", "given": "given-takaro-user"}[name]
		for _, flags := range [][]string{nil, {"--dry-run=server"}} {
			problems := u.KubectlFails(t, manifest("arena"), append([]string{"create", "-f", "-"}, flags...)...)
			require.Contains(t, problems,
				`is forbidden: spec.takaroApiUrl: you may not get Secret "`+secret+`" in namespace "`+namespace+`", which User "`+namespace+`/`+name+
					`" would send to `+address)
			problems = creator.KubectlFails(t, manifest("arena"), append([]string{"create", "-f", "-"}, flags...)...)
			require.Contains(t, problems,
				"spec.takaroApiUrl: a User that waits for this Domain would send a Secret that you may not get to "+address)
			require.False(t, strings.Contains(problems, name) || strings.Contains(problems, secret),
				"a caller who may not get the User does not learn of it: %s", problems)
		}
		problems := u.KubectlFails(t, manifest("arena"), "apply", "--server-side", "-f", "-")
		require.Contains(t, problems, "spec.takaroApiUrl: you may not get Secret")
		privileged.KubectlIn(t, manifest("arena"), "create", "-f", "-", "--dry-run=server")
		reader.KubectlIn(t, manifest("arena"), "create", "-f", "-")

		problems = creator.KubectlFails(t, "", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p",
			`{"spec":{"credentialsSecretRef":{"name":"y"},"caBundleSecretRef":{"name":"y"}}}`)
		require.Contains(t, problems, `you may not get Secret "y"`)
		creator.KubectlIn(t, "", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p", `{"spec":{"description":"new"}}`)
		privileged.KubectlIn(t, "", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p",
			`{"spec":{"credentialsSecretRef":{"name":"x"},"caBundleSecretRef":{"name":"x"}}}`)
		problems = creator.KubectlFails(t, "", "patch", "domains.takaro.roadstead.dev", "arena", "--type=merge", "-p",
			`{"spec":{"caBundleSecretRef":null}}`)
		require.Contains(t, problems, "a User that waits for this Domain", "without the CA, others can receive the password")

		privileged.KubectlIn(t, "", "delete", "domains.takaro.roadstead.dev/arena", "users.takaro.roadstead.dev/"+name)
	}
}
