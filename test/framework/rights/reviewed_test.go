// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// review is the reason why a role has verbs on a resource.
type review struct{ verbs, why string }

// reviewed lists every right that is granted. A change that grants another right adds the reason
// here. test/integration/environments verifies that each right is used.
var reviewed = map[string]map[string]review{
	"roadstead-apiserver": {
		"namespaces": {"get list watch", "admission refuses creates in a missing or terminating namespace"},
		"mutatingadmissionpolicies.admissionregistration.k8s.io":         {"list watch", "the host's policies hold for our kinds"},
		"mutatingadmissionpolicybindings.admissionregistration.k8s.io":   {"list watch", "the host's policies hold for our kinds"},
		"mutatingwebhookconfigurations.admissionregistration.k8s.io":     {"list watch", "the host's webhooks hold for our kinds"},
		"validatingadmissionpolicies.admissionregistration.k8s.io":       {"list watch", "the host's policies hold for our kinds"},
		"validatingadmissionpolicybindings.admissionregistration.k8s.io": {"list watch", "the host's policies hold for our kinds"},
		"validatingwebhookconfigurations.admissionregistration.k8s.io":   {"list watch", "the host's webhooks hold for our kinds"},
		"resourcequotas":                                           {"list watch", "quotas bound our objects too"},
		"resourcequotas/status":                                    {"update", "what a create takes is counted at once"},
		"flowschemas.flowcontrol.apiserver.k8s.io":                 {"list watch", "priority and fairness as in the host"},
		"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": {"list watch", "priority and fairness as in the host"},
		"flowschemas/status.flowcontrol.apiserver.k8s.io":          {"patch", "whoever sees a flow schema first writes whether its level exists"},
		"apiservices.apiregistration.k8s.io": {"get list watch update patch", "spec.caBundle of Roadstead's " +
			"own, by name; get: whether they lead to this server; patch: the annotation that names the store"},
		"secrets": {"create get list watch update",
			"its seeds and its serving certificate, in its namespace, by name but for create; update: lost seeds are restored"},
		"leases.coordination.k8s.io": {"create get update",
			"which replica renews the certificate, and which store is in use; in its namespace, by name but for create"},
		"configmaps":           {"create get update", "the record of the store's identity, in its namespace, by name but for create"},
		"events.events.k8s.io": {"create", "a restored record or Secret is reported, in its namespace"},
	},
	"roadstead-apiserver:crdguard": {
		"/metrics": {"get", "how many objects a CustomResourceDefinition has, where they may not be listed"},
	},
	"roadstead:metrics": {
		"/metrics": {"get", "Prometheus reads what the server counts"},
	},
	"roadstead-controller": {
		"domains.takaro.roadstead.dev": {"get list watch update delete",
			"its work; get: past the cache before something is made; delete: the namespace is gone"},
		"domains/status.takaro.roadstead.dev": {"update", "its reports"},
		"domains/finalizers.takaro.roadstead.dev": {"update",
			"OwnerReferencesPermissionEnforcement asks whoever sets blockOwnerDeletion"},
		"mockservers.takaro.roadstead.dev": {"get list watch update delete",
			"its work; get: an owner is read live; delete: the Domain goes, or the namespace is gone"},
		"mockservers/status.takaro.roadstead.dev": {"update", "its reports"},
		"mockservers/finalizers.takaro.roadstead.dev": {"update",
			"OwnerReferencesPermissionEnforcement asks whoever sets blockOwnerDeletion"},
		"takaroendpoints.takaro.roadstead.dev": {"get list watch create update delete",
			"its work; get: past the cache; create, delete: one for each address that is used"},
		"takaroendpoints/status.takaro.roadstead.dev": {"update", "its reports"},
		"users.takaro.roadstead.dev": {"get list watch update delete",
			"its work; get: past the cache before something is made; delete: the Domain goes, or the namespace is gone"},
		"users/status.takaro.roadstead.dev": {"update", "its reports"},
		"users/finalizers.takaro.roadstead.dev": {"update",
			"OwnerReferencesPermissionEnforcement asks whoever sets blockOwnerDeletion"},
		"users/credentials.takaro.roadstead.dev": {"create", "the only way to read a password that was given"},
		"statefulsets.apps":                      {"get list watch create update delete", "the pods of MockServers"},
		"services":                               {"get", "the Service kubernetes: no address in a spec may lead to the API server"},
		"endpointslices.discovery.k8s.io":        {"get", "the endpoints of the Service kubernetes"},
		"networkpolicies.networking.k8s.io": {"create get update",
			"which namespaces reach the bundled Redis; in its namespace, by name but for create"},
		"pods": {"list watch delete", "a mock game server that lost its connection is restarted"},
		"secrets": {"get list watch create update patch delete",
			"what specs name is read and protected, logins are written; delete: logins of Users that go"},
		"namespaces":                 {"get list watch", "the UID of kube-system; which namespaces were deleted"},
		"events.events.k8s.io":       {"create patch", "to tell people"},
		"events":                     {"create patch", "who leads is told in events of the older API, in its namespace"},
		"leases.coordination.k8s.io": {"create get update", "leader election, in its namespace, by name but for create"},
		"configmaps": {"get patch",
			"the record of the store's identity, by name; patch: what is held and released is stored on it"},
		"approvals.release.roadstead.dev": {"get list watch create delete",
			"its work; get: past the cache before one is made; delete: kept long enough"},
		"approvals/status.release.roadstead.dev": {"update", "expired, voided, conditions"},
		"crdschemas.release.roadstead.dev": {"get list watch create patch",
			"read one at a time; create: those of charts; patch: the annotation that asks for an approval"},
		"crdschemas/status.release.roadstead.dev": {"patch", "what was decided, and what was found late"},
		"crdsnapshots.release.roadstead.dev": {"get list watch create update delete",
			"what was seen last of each CustomResourceDefinition"},
		"customresourcedefinitions.apiextensions.k8s.io": {"get list watch", "their changes are compared with what was seen last"},
		"operators.release.roadstead.dev":                {"get list watch", "its work; get: an owner is read live"},
		"operators/status.release.roadstead.dev":         {"update", "its reports"},
		"operators/finalizers.release.roadstead.dev": {"update",
			"OwnerReferencesPermissionEnforcement asks whoever sets blockOwnerDeletion"},
		"operatorversions.release.roadstead.dev": {"get list watch create delete",
			"its work; get: an owner is read live; create: discovered versions; delete: those beyond the history limit"},
		"operatorversions/status.release.roadstead.dev": {"update", "its reports"},
		"operatorversions/finalizers.release.roadstead.dev": {"update",
			"OwnerReferencesPermissionEnforcement asks whoever sets blockOwnerDeletion"},
	},
	"roadstead-controller-secrets": {
		"secrets": {"get list watch create update patch delete",
			"as of roadstead-controller, where that has no right on Secrets; bound in single namespaces"},
	},
	"roadstead-prepare-uninstall": {
		"domains.takaro.roadstead.dev":         {"list patch delete", "what is stored is counted, deleted, and let go"},
		"mockservers.takaro.roadstead.dev":     {"list patch delete", "as Domains"},
		"takaroendpoints.takaro.roadstead.dev": {"list patch delete", "as Domains"},
		"users.takaro.roadstead.dev":           {"list patch delete", "as Domains"},
		"approvals.release.roadstead.dev": {"list delete bypass",
			"what is stored is counted and deleted; bypass: accepted CRDSchemas and what they belong to"},
		"crdschemas.release.roadstead.dev":       {"list delete", "what is stored is counted and deleted"},
		"crdsnapshots.release.roadstead.dev":     {"list delete", "what is stored is counted and deleted"},
		"operators.release.roadstead.dev":        {"list delete", "what is stored is counted and deleted"},
		"operatorversions.release.roadstead.dev": {"list delete", "what is stored is counted and deleted"},
		"storeinventories.release.roadstead.dev": {"list", "what is stored in etcd, also of kinds that are not served"},
		"storeinventories.takaro.roadstead.dev":  {"list", "the same, where release.roadstead.dev is not served"},
		"secrets": {"get list patch delete",
			"in-use finalizers and owners are taken off every one; get, delete: those that the programs made, and to change owners"},
		"statefulsets.apps": {"get list patch delete",
			"owners are taken off; get, delete: the server's by name, and to change owners"},
		"deployments.apps":       {"get patch delete", "those of the programs, by name; patch: the controllers are scaled to 0"},
		"pods":                   {"list", "whether the programs have ended"},
		"persistentvolumeclaims": {"list delete", "the volume of the embedded store, by name but for list"},
		"configmaps": {"create get update patch delete",
			"the record of the store, and what was found, by name but for create; patch: a hold is released"},
		"leases.coordination.k8s.io": {"create get update delete",
			"the controllers' is held; those of the programs go; by name but for create"},
		"apiservices.apiregistration.k8s.io":                           {"list delete", "those that lead to our server; delete: by name"},
		"validatingwebhookconfigurations.admissionregistration.k8s.io": {"get delete", "the guard, by name"},
	},
	"roadstead:takaro-viewer": {
		"domains.takaro.roadstead.dev":           {"get list watch", "part of the cluster's view, edit and admin"},
		"mockservers.takaro.roadstead.dev":       {"get list watch", "part of the cluster's view, edit and admin"},
		"mockservers/scale.takaro.roadstead.dev": {"get", "part of the cluster's view, edit and admin"},
		"takaroendpoints.takaro.roadstead.dev":   {"get list watch", "part of the cluster's view, edit and admin"},
		"users.takaro.roadstead.dev":             {"get list watch", "part of the cluster's view, edit and admin"},
	},
	"roadstead:takaro-editor": {
		"domains.takaro.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"part of the cluster's edit and admin"},
		"mockservers.takaro.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"part of the cluster's edit and admin"},
		"mockservers/scale.takaro.roadstead.dev": {"get update patch", "part of the cluster's edit and admin"},
		"takaroendpoints.takaro.roadstead.dev":   {"get list watch patch", "patch: the annotation that releases a hold"},
		"users.takaro.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"part of the cluster's edit and admin"},
	},
	"roadstead:takaro-admin": {
		"domains.takaro.roadstead.dev": {"get list watch create update patch delete deletecollection adopt",
			"adopt: whom a cluster administrator trusts with the domains of everybody"},
		"mockservers.takaro.roadstead.dev":       {"get list watch create update patch delete deletecollection", "works in a namespace"},
		"mockservers/scale.takaro.roadstead.dev": {"get update patch", "works in a namespace"},
		"takaroendpoints.takaro.roadstead.dev":   {"get list watch patch", "patch: the annotation that releases a hold"},
		"users.takaro.roadstead.dev":             {"get list watch create update patch delete deletecollection adopt", "adopt: as for domains"},
	},
	"roadstead:release-viewer": {
		"operators.release.roadstead.dev":            {"get list watch", "part of the cluster's view, edit and admin"},
		"operatorversions.release.roadstead.dev":     {"get list watch", "part of the cluster's view, edit and admin"},
		"crdschemas.release.roadstead.dev":           {"get list watch", "part of the cluster's view, edit and admin"},
		"approvals.release.roadstead.dev":            {"get list watch", "part of the cluster's view, edit and admin"},
		"compatibilityreviews.release.roadstead.dev": {"create", "asks what a change breaks; nothing is stored"},
	},
	"roadstead:release-operator": {
		"operators.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"operatorversions.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"crdschemas.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"approvals.release.roadstead.dev":            {"get list watch", "whether what it asked for was decided"},
		"approvals/reject.release.roadstead.dev":     {"create", "withdraws what it asked for; more needs the verb approve"},
		"compatibilityreviews.release.roadstead.dev": {"create", "asks what a change breaks; nothing is stored"},
	},
	"roadstead:release-admin": {
		"operators.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"operatorversions.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"crdschemas.release.roadstead.dev": {"get list watch create update patch delete deletecollection",
			"brings operators and their versions"},
		"approvals.release.roadstead.dev": {"get list watch approve bypass",
			"decides on breaking changes; bypass: lets changes pass without an approval"},
		"approvals/approve.release.roadstead.dev":    {"create", "decides on breaking changes"},
		"approvals/reject.release.roadstead.dev":     {"create", "decides on breaking changes"},
		"compatibilityreviews.release.roadstead.dev": {"create", "asks what a change breaks; nothing is stored"},
	},
}

func TestEveryRightIsReviewed(t *testing.T) {
	// crdguard-live is excluded: it grants the right to list everything to users that opt in.
	var granted []Right
	for _, folder := range []string{"base", "guard", "monitoring", "secret-namespaces", "uninstall"} {
		more, err := Load("../../../artifacts/deploy/" + folder)
		require.NoError(t, err)
		granted = append(granted, more...)
	}
	require.Greater(t, len(granted), 50, "the manifests were found")
	seen := map[Right]bool{}
	for _, right := range granted {
		seen[right] = true
		assert.Containsf(t, strings.Fields(reviewed[right.Role][right.Resource].verbs), right.Verb, "nobody reviewed %q", right)
		assert.NotContainsf(t, right.String(), "*", "a wildcard grants what nobody can review")
	}
	for role, resources := range reviewed {
		for resource, of := range resources {
			require.NotEmpty(t, of.why, resource)
			for _, verb := range strings.Fields(of.verbs) {
				right := Right{Role: role, Resource: resource, Verb: verb}
				assert.Truef(t, seen[right], "%q is reviewed, but not granted any more: take it out", right)
			}
		}
	}
}

func TestLoadReadsEveryKindOfRule(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a.yaml", "kind: ClusterRole\nmetadata: {name: a}\nrules:\n- {apiGroups: ['', apps], resources: [x, "+
		"x/status], verbs: [get, '*']}\n"+
		"- {nonResourceURLs: [/metrics], verbs: [get]}\n---\nkind: ConfigMap\nmetadata: {name: b}\n---\nkind: Role\nmetadata: {name: "+
		"a}\nrules:\n- {apiGroups: [''], resources: [x], verbs: [get]}\n")
	granted, err := Load(folder)
	require.NoError(t, err)
	var texts []string
	for _, right := range granted {
		texts = append(texts, right.String())
	}
	assert.ElementsMatch(t, []string{"a: get x", "a: * x", "a: get x/status", "a: * x/status", "a: get x.apps", "a: * x.apps",
		"a: get x/status.apps", "a: * x/status.apps", "a: get /metrics"}, texts)
	write(t, folder, "broken.yaml", "kind: [")
	_, err = Load(folder)
	assert.ErrorContains(t, err, "broken.yaml")
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}
