// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

func TestWhatTheGroupServes(t *testing.T) {
	t.Parallel()
	const verbs = "create,delete,deletecollection,get,list,patch,update,watch"
	served := map[string][]string{}
	for _, row := range rows(admin(t, "api-resources", "--api-group=release.roadstead.dev", "--no-headers", "-o", "wide")) {
		served[row[0]] = row[1:]
	}
	for resource, want := range map[string][]string{
		"operators":        {"op", "release.roadstead.dev/v1alpha1", "false", "Operator", verbs, "roadstead"},
		"operatorversions": {"opv", "release.roadstead.dev/v1alpha1", "false", "OperatorVersion", verbs, "roadstead"},
		"crdschemas":       {"crdschema", "release.roadstead.dev/v1alpha1", "false", "CRDSchema", verbs},
		"crdsnapshots":     {"release.roadstead.dev/v1alpha1", "false", "CRDSnapshot", verbs},
	} {
		assert.Equal(t, want, served[resource])
	}
	var list metav1.APIResourceList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/release.roadstead.dev/v1alpha1"}).Decode(t, &list)
	for _, resource := range list.APIResources {
		assert.NotEqual(t, "crdsnapshots/status", resource.Name, "a record has no status")
	}
}

// foreignNames are the short names of widely installed APIs. kubectl uses the first match.
var foreignNames = strings.Fields("cs cm ep ev limits no ns pvc pv po rc quota sa svc crd crds ds deploy rs sts hpa cj csr ing " +
	"netpol pdb pc sc " +
	"app apps appproj appprojs appset appsets ro rollout rollouts wf cwf gitrepo hr hc ks helmrepo ocirepo " +
	"cl md ms ma kcp cluster machine cert certs cr crs csv csvs ip sub subs catsrc og operatorgroup oc is isimage bc dc route " +
	"routes co clusteroperators")

func TestShortNamesAreNobodyElses(t *testing.T) {
	t.Parallel()
	var list metav1.APIResourceList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/release.roadstead.dev/v1alpha1"}).Decode(t, &list)
	require.NotEmpty(t, list.APIResources)
	for _, resource := range list.APIResources {
		for _, name := range resource.ShortNames {
			assert.NotContains(t, foreignNames, name)
		}
	}
}

func TestEveryFieldIsExplained(t *testing.T) {
	t.Parallel()
	u := person(t, "roadstead:release-viewer")
	for kind, fields := range map[string]string{
		"operators.release.roadstead.dev": "chart discover repository -required-|credentialsSecretRef releaseName valuesFrom " +
			"environmentValues crdPolicy breaking versionHistoryLimit latestVersion conditions",
		"op":                                     "enum: Deny, RequireApproval, Warn",
		"operatorversions.release.roadstead.dev": "operatorRef chartVersion migrationGuide crdSource createdBy chartDigest findings hint",
		"opv":                                    "enum: Chart, Manual",
		"crdschema":                              "operatorVersionRef definition againstRef compatibility totalFindings approval against",
		"crdsnapshots.release.roadstead.dev":     "uid generation policy allowChange definition",
	} {
		explained := u.Kubectl(t, "explain", kind, "--recursive")
		for _, name := range strings.Split(strings.ReplaceAll(fields, " ", "|"), "|") {
			assert.Contains(t, explained, name, kind)
		}
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
			}
		}
	}
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/openapi/v3/apis/release.roadstead.dev/v1alpha1"}).Decode(t, &document)
	leaves := 0
	for name, model := range document.Components.Schemas {
		if !strings.HasPrefix(name, "dev.roadstead.release.v1alpha1.") || strings.HasSuffix(name, "List") {
			continue
		}
		for field, schema := range model.Properties {
			leaves++
			assert.NotEmpty(t, schema["description"], "%s.%s", name, field)
			assert.False(t, schema["type"] == "array" && schema["x-kubernetes-list-type"] == nil,
				fmt.Sprintf("%s.%s does not say how it is merged", name, field))
		}
	}
	require.Greater(t, leaves, 100)
}
