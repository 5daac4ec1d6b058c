// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/engine"
)

// server and controller are the workloads of an installation with an embedded etcd.
const (
	server     = "StatefulSet " + systemNamespace + "/roadstead-apiserver"
	controller = "Deployment " + systemNamespace + "/roadstead-controller"
)

// podsOf returns the fields of a workload for which a change restarts its pods.
func podsOf(t *testing.T, all objects, workload string) any {
	t.Helper()
	require.Contains(t, all, workload)
	return all[workload].Object["spec"].(values)["template"]
}

// An upgrade that does not change a program must not restart its pods.
func TestPodsAreNotRestartedNeedlessly(t *testing.T) {
	before := render(t, nil)
	for flag, restarted := range map[string]string{
		"commonLabels.team=platform": "",
		"apiserver.logLevel=debug":   server,
		"apiserver.audit.policy.kind=Policy,apiserver.audit.policy.apiVersion=audit.k8s.io/v1,apiserver.audit.policy.rules[0].level=None": server,
		"apiserver.podLabels.team=platform":                       server,
		"etcd.embedded.dev=true":                                  server,
		"certificates.mode=CertManager":                           server,
		"controller.replicas=3":                                   "",
		"controller.secretNamespaces[0]=team-a":                   controller,
		"controller.extraArgs[0]=--takaro-qps=5":                  controller,
		"controller.podAnnotations.a=b":                           controller,
		"takaro.mockServerImage=registry.example.com/mock:1":      controller,
		"crdGuard.enabled=true,crdGuard.failurePolicy=Fail":       "",
		"crdGuard.enabled=true,crdGuard.liveObjects.enabled=true": "",
		"crdGuard.defaultPolicy=Warn":                             "both",
		"image.tag=v0.2.0":                                        "both",
		"redis.enabled=false":                                     controller,
		"userRoles.create=false":                                  "",
		"networkPolicy.enabled=true":                              "",
		"podDisruptionBudget.enabled=false":                       "",
		"monitoring.serviceMonitor.enabled=true,monitoring.prometheusRule.enabled=true,monitoring.dashboard.enabled=true": "",
		"uninstall.hook=false":                             "",
		"uninstall.objects=DeleteAll,uninstall.timeout=1h": "",
		`takaro.endpoints=[{"name": "main", "url": "https://takaro.example", "adminToken": "x"}]`:                         "",
		`takaro.endpoints=[{"name": "main", "url": "https://takaro.example", "adminTokenSecretRef": {"name": "takaro"}}]`: controller,
	} {
		after := render(t, set(t, flag))
		for _, workload := range []string{server, controller} {
			same := assert.ObjectsAreEqual(podsOf(t, before, workload), podsOf(t, after, workload))
			assert.Equal(t, workload != restarted && restarted != "both", same, "%s: the pods of %s", flag, workload)
		}
	}
}

// Another version of the chart, release name or revision must not restart them either.
func TestPodsDoNotTellOfTheRelease(t *testing.T) {
	loaded, err := loadChart()
	require.NoError(t, err)
	other, metadata := *loaded, *loaded.Metadata
	metadata.Version, metadata.AppVersion = "9.9.9", "v9.9.9"
	other.Metadata = &metadata
	given := values{"image": values{"tag": loaded.Metadata.AppVersion}}
	options := common.ReleaseOptions{Name: "shore", Namespace: systemNamespace, Revision: 7, IsUpgrade: true}
	all, err := commonutil.ToRenderValues(&other, given, options, common.DefaultCapabilities)
	require.NoError(t, err)
	files, err := engine.Render(&other, all)
	require.NoError(t, err)
	after := objects{}
	for name, text := range files {
		if name != "roadstead/templates/NOTES.txt" {
			after.add(t, name, text)
		}
	}
	require.Equal(t, "v9.9.9", after[server].GetLabels()["app.kubernetes.io/version"])
	before := render(t, nil)
	for _, workload := range []string{server, controller} {
		assert.Equal(t, podsOf(t, before, workload), podsOf(t, after, workload), workload)
	}
}

// The API server refuses a StatefulSet or Deployment whose selector or claims change.
func TestWhatCannotBeChangedStays(t *testing.T) {
	fixed := func(all objects, workload string) values {
		spec := maps.Clone(all[workload].Object["spec"].(values))
		maps.DeleteFunc(spec, func(field string, _ any) bool {
			return field != "selector" && field != "serviceName" && field != "volumeClaimTemplates"
		})
		return spec
	}
	before := render(t, nil)
	for name := range pairs {
		if name == "ha" || name == "guard-closed" || name == "dev" {
			continue // another kind of workload, or without its data: no upgrade to it exists
		}
		after := renderAs(t, install{"shore", systemNamespace, valuesOf(t, name)})
		for _, workload := range []string{server, controller} {
			assert.Equal(t, fixed(before, workload), fixed(after, workload), name)
		}
	}
	assert.NotContains(t, before[server].Object["spec"], "persistentVolumeClaimRetentionPolicy", "the data outlive the StatefulSet")
}
