// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/rights"
)

// notUsedHere are rights that no test before this one uses, each with the test that uses it.
var notUsedHere = map[string]string{
	"roadstead-apiserver: patch flowschemas/status.flowcontrol.apiserver.k8s.io": "test/integration/complaints/fairness_test.go: " +
		"TestFairnessFollowsTheHost",
	"roadstead-apiserver: update secrets": "test/integration/apiserver/certificate_test.go: " +
		"TestC16ACertificateThatIsDueIsRenewed",
	"roadstead-controller: delete domains.takaro.roadstead.dev": "test/integration/orphans/sweep_test.go: " +
		"TestOrphansGoAndTakeTheirTakaroSideAlong",
	"roadstead-apiserver: create events.events.k8s.io": "test/integration/epoch/host_test.go: TestRecord_DeletedWhileBound",
	"roadstead-controller: delete pods":                "test/integration/mockservers/lifecycle_test.go: TestDroppedConnectionRestartsThePod",
	"roadstead-controller: update secrets":             "test/integration/domain/lifecycle_test.go: TestDeletedSecrets",
	// Objects that users decide about, and CRDs that change.
	"roadstead-controller: get approvals.release.roadstead.dev": "test/integration/approvals/decisions_test.go: " +
		"TestAPersonApproves",
	"roadstead-controller: create approvals.release.roadstead.dev": "test/integration/approvals/decisions_test.go: " +
		"TestAPersonApproves",
	"roadstead-controller: update approvals/status.release.roadstead.dev": "test/integration/approvals/decisions_test.go: " +
		"TestAPersonApproves",
	"roadstead-controller: get crdschemas.release.roadstead.dev": "test/integration/approvals/decisions_test.go: " +
		"TestAPersonApproves",
	"roadstead-controller: patch crdschemas/status.release.roadstead.dev": "test/integration/approvals/decisions_test.go: " +
		"TestAPersonApproves",
	"roadstead-controller: patch crdschemas.release.roadstead.dev": "test/integration/approvals/late_test.go: " +
		"TestAVersionThatComesLaterIsJudged",
	"roadstead-controller: delete approvals.release.roadstead.dev": "pkg/controllers/release/approval/" +
		"reconcile_test.go: TestWhatWasDecidedIsCarried",
	"roadstead-controller: get crdsnapshots.release.roadstead.dev": "test/integration/approvals/missed_test.go: " +
		"TestAMissedChangeIsTold",
	"roadstead-controller: create crdsnapshots.release.roadstead.dev": "test/integration/approvals/missed_test.go: " +
		"TestAMissedChangeIsTold",
	"roadstead-controller: update crdsnapshots.release.roadstead.dev": "test/integration/approvals/missed_test.go: " +
		"TestAMissedChangeIsTold",
	"roadstead-controller: delete crdsnapshots.release.roadstead.dev": "test/integration/approvals/missed_test.go: " +
		"TestAMissedChangeIsTold",
	"roadstead-controller: get customresourcedefinitions.apiextensions.k8s.io": "test/integration/approvals/missed_test.go: " +
		"TestAMissedChangeIsTold",
	// Used when the controller is killed between the record of a create and its completion, which
	// does not happen at every kill of this suite.
	"roadstead-controller: get domains.takaro.roadstead.dev": "pkg/controllers/takaro/domain/crash_test.go: TestCreateKilledAtEveryCall",
	"roadstead-controller: get users.takaro.roadstead.dev":   "pkg/controllers/takaro/user/crash_test.go: TestCreateKilledAtEveryCall",
	// Used when a cache is outdated, and when the last Domain at an address is deleted and its
	// namespace is not.
	"roadstead-controller: get takaroendpoints.takaro.roadstead.dev": "pkg/controllers/takaro/takaroendpoint/keeper_test.go: " +
		"TestAt_OldCache",
	"roadstead-controller: update takaroendpoints.takaro.roadstead.dev": "pkg/controllers/takaro/takaroendpoint/" +
		"reconciler_test.go: TestReconcile_Unused",
	"roadstead-controller: delete takaroendpoints.takaro.roadstead.dev": "pkg/controllers/takaro/takaroendpoint/" +
		"reconciler_test.go: TestReconcile_Unused",
	// Used when a namespace is missing whose deletion was not observed.
	"roadstead-controller: patch configmaps": "test/integration/orphans/rollback_test.go: TestRolledBackClusterDeletesNothing",
	// An environment contains no Operator.
	"roadstead-controller: get operators.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestVersionsAreDiscovered",
	"roadstead-controller: get operatorversions.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestFromApplyToReady",
	"roadstead-controller: create operatorversions.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestVersionsAreDiscovered",
	"roadstead-controller: delete operatorversions.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestVersionsAreDiscovered",
	"roadstead-controller: update operators/status.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestFromApplyToReady",
	"roadstead-controller: update operatorversions/status.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestFromApplyToReady",
	"roadstead-controller: update operators/finalizers.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestVersionsAreDiscovered",
	"roadstead-controller: update operatorversions/finalizers.release.roadstead.dev": "test/integration/operators/" +
		"operators_test.go: TestFromApplyToReady",
	"roadstead-controller: create crdschemas.release.roadstead.dev": "test/integration/operators/operators_test.go: TestFromApplyToReady",
	// The bundled Redis is not installed.
	"roadstead-controller: create networkpolicies.networking.k8s.io": "pkg/controllers/takaro/mockserver/redispolicy_test.go: " +
		"TestRedisPolicyFollowsMockServers",
	"roadstead-controller: get networkpolicies.networking.k8s.io": "pkg/controllers/takaro/mockserver/redispolicy_test.go: " +
		"TestRedisPolicyFollowsMockServers",
	"roadstead-controller: update networkpolicies.networking.k8s.io": "pkg/controllers/takaro/mockserver/redispolicy_test.go: " +
		"TestRedisPolicyFollowsMockServers",
	// The admission plugin OwnerReferencesPermissionEnforcement checks these rights without a
	// request of the controller. It is enabled in this cluster: without these rights no environment
	// would become Ready.
	"roadstead-controller: update domains/finalizers.takaro.roadstead.dev": "test/integration/environments/beside_test.go: " +
		"TestBesideEachOther",
	"roadstead-controller: update mockservers/finalizers.takaro.roadstead.dev": "test/integration/environments/beside_test.go: " +
		"TestBesideEachOther",
	"roadstead-controller: update users/finalizers.takaro.roadstead.dev": "test/integration/environments/beside_test.go: TestBesideEachOther",
}

// onlyRepeated are used when the same event is repeated within minutes, which no suite waits for.
var onlyRepeated = []string{"roadstead-controller: patch events", "roadstead-controller: patch events.events.k8s.io"}

// mayBeUsed are the rights in notUsedHere that a run may use.
var mayBeUsed = []string{
	"roadstead-apiserver: patch flowschemas/status.flowcontrol.apiserver.k8s.io",
	"roadstead-controller: get domains.takaro.roadstead.dev", "roadstead-controller: get users.takaro.roadstead.dev",
	"roadstead-controller: get takaroendpoints.takaro.roadstead.dev", "roadstead-controller: update takaroendpoints.takaro.roadstead.dev",
	"roadstead-controller: delete takaroendpoints.takaro.roadstead.dev",
	"roadstead-controller: delete pods", "roadstead-controller: update secrets",
	"roadstead-controller: get crdsnapshots.release.roadstead.dev",
	"roadstead-controller: create crdsnapshots.release.roadstead.dev",
	"roadstead-controller: update crdsnapshots.release.roadstead.dev",
	"roadstead-controller: delete crdsnapshots.release.roadstead.dev",
	"roadstead-controller: get customresourcedefinitions.apiextensions.k8s.io",
}

// TestEveryRightIsUsed is the last test. It verifies that each right that the manifests grant to
// Roadstead was used by the previous tests, and that none was missing.
func TestEveryRightIsUsed(t *testing.T) {
	useTheRest(t)
	granted, err := rights.Load("../../../artifacts/deploy/base")
	require.NoError(t, err)
	used := usedRights(t)
	require.Greater(t, len(used), 30, "run it with the others")
	requireTests(t)
	for _, right := range granted {
		if !strings.HasPrefix(right.Role, "roadstead-") { // a role for users
			continue
		}
		if slices.Contains(onlyRepeated, right.String()) {
			continue
		}
		_, excused := notUsedHere[right.String()]
		if right.Verb == "list" && used[rights.Right{Role: right.Role, Resource: right.Resource, Verb: "watch"}] {
			continue // used where the server does not support starting a watch with the list, as before Kubernetes 1.34
		}
		switch {
		case !excused:
			assert.Truef(t, used[right], "granted, though nothing used it: %s", right)
		case !slices.Contains(mayBeUsed, right.String()):
			assert.Falsef(t, used[right], "%s is used: it needs no excuse any more", right)
		}
	}
}

// requireTests requires that the tests exist that use the rights in notUsedHere.
func requireTests(t *testing.T) {
	t.Helper()
	for right, test := range notUsedHere {
		file, name, _ := strings.Cut(test, ": ")
		source, err := os.ReadFile(filepath.Join("..", "..", "..", file))
		require.NoError(t, err, right)
		require.Contains(t, string(source), "\nfunc "+name+"(", right)
	}
}

// useTheRest performs the actions that no other test of the suite performs: it creates an object
// that a quota counts, and one in a namespace that does not exist, for which the server reads past
// its cache.
func useTheRest(t *testing.T) {
	t.Helper()
	namespace := env.Namespace(t)
	apply := func(text string) {
		_, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(text)).Run(t.Context(), "apply",
			"-n", namespace, "-f", "-")
		require.NoError(t, err)
	}
	apply("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few}\nspec: {hard: {count/domains.takaro.roadstead.dev: 5}}\n")
	framework.Await(t, "the host's count", func() error {
		_, _, err := env.Cluster.Kubectl(t.Context(), "wait", "resourcequota/few", "-n", namespace,
			"--for=jsonpath={.status.hard}", "--timeout=5s")
		return err
	})
	apply("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: counted}\nspec: {takaroApiUrl: " +
		"https://api.takaro.test}\n")
	_, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).
		WithStdin(strings.NewReader("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: lost, namespace: "+
			"absent}\nspec: {takaroApiUrl: https://api.takaro.test}\n")).
		Run(t.Context(), "create", "-f", "-")
	require.ErrorContains(t, err, `namespaces "absent" not found`)
	_, _, err = env.Cluster.Kubectl(t.Context(), "delete", "domains.takaro.roadstead.dev/counted", "-n", namespace, "--timeout=55s")
	require.NoError(t, err)
}

// usedRights returns the rights that Roadstead used according to the audit log of the cluster, and
// requires that no request was forbidden.
func usedRights(t *testing.T) map[rights.Right]bool {
	t.Helper()
	file, err := os.Open(env.Cluster.AuditLog())
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	used := map[rights.Right]bool{}
	for lines := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return used
		}
		require.NoError(t, err)
		if !bytes.Contains(line, []byte(`"username":"system:serviceaccount:roadstead-system:roadstead-`)) {
			continue
		}
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(line, &event))
		role, ours := strings.CutPrefix(event.User.Username, "system:serviceaccount:roadstead-system:")
		if !ours || event.ObjectRef == nil || event.Stage == auditv1.StageRequestReceived {
			continue
		}
		assert.NotEqualf(t, "forbid", event.Annotations["authorization.k8s.io/decision"], "%s may not %s %s", role, event.Verb, event.RequestURI)
		ref := event.ObjectRef
		used[rights.Right{Role: role, Resource: rights.Resource(ref.APIGroup, ref.Resource, ref.Subresource), Verb: event.Verb}] = true
	}
}
