// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryObjectIsOneThatTheClusterTakes(t *testing.T) {
	for name := range pairs {
		assert.Empty(t, flaws(systemNamespace, render(t, valuesOf(t, name))), name)
	}
}

// TestFlawsAreFound tests the inspection itself: each kind of flaw is found.
func TestFlawsAreFound(t *testing.T) {
	const controller, server = "Deployment " + systemNamespace + "/roadstead-controller", "StatefulSet " +
		systemNamespace + "/roadstead-apiserver"
	for want, broken := range map[string]func(objects){
		`unknown field "spec.replica"`:              func(all objects) { all[controller].Object["spec"].(values)["replica"] = int64(1) },
		"there is no ServiceAccount":                func(all objects) { delete(all, "ServiceAccount "+systemNamespace+"/roadstead-controller") },
		"there is no ClusterRole roadstead-control": func(all objects) { delete(all, "ClusterRole roadstead-controller") },
		"there is no ConfigMap roadstead-apiserver": func(all objects) { delete(all, "ConfigMap "+systemNamespace+"/roadstead-apiserver-audit") },
		"there is no Service":                       func(all objects) { delete(all, "Service "+systemNamespace+"/roadstead-apiserver") },
		"means 0 workloads":                         func(all objects) { delete(all, controller) },
		"there is no volume":                        func(all objects) { delete(all[server].Object["spec"].(values), "volumeClaimTemplates") },
		"unknown flag: --unknown":                   func(all objects) { container(all[server].Object)["args"] = []any{"--unknown"} },
		"not restricted":                            func(all objects) { delete(container(all[server].Object), "securityContext") },
		`a probe asks the port "https"`:             func(all objects) { delete(container(all[server].Object), "ports") },
	} {
		all := render(t, nil)
		broken(all)
		assert.Contains(t, strings.Join(flaws(systemNamespace, all), "\n"), want)
	}
}

// container returns the container of a workload.
func container(workload values) values {
	template := workload["spec"].(values)["template"].(values)
	return template["spec"].(values)["containers"].([]any)[0].(values)
}

func TestObjectsHaveTheUsualLabelsAndPodsDoNot(t *testing.T) {
	loaded, err := loadChart()
	require.NoError(t, err)
	for name := range pairs {
		for object, found := range render(t, valuesOf(t, name)) {
			labels := found.GetLabels()
			assert.Equal(t, "roadstead", labels["app.kubernetes.io/instance"], object)
			assert.Equal(t, "Helm", labels["app.kubernetes.io/managed-by"], object)
			assert.Equal(t, "roadstead", labels["app.kubernetes.io/part-of"], object)
			assert.Equal(t, loaded.Metadata.AppVersion, labels["app.kubernetes.io/version"], object)
			assert.Regexp(t, `^roadstead-\d+\.\d+\.\d+$`, labels["helm.sh/chart"], object)
			assert.True(t, strings.HasPrefix(labels["app.kubernetes.io/name"], "roadstead"), object)
			// Templates and selectors are below spec.
			assert.NotContains(t, asYAML(t, found.Object["spec"]), "app.kubernetes.io/instance", object)
			assert.NotContains(t, asYAML(t, found.Object["spec"]), "helm.sh/", object)
		}
	}
}

func TestNothingNamesAnotherNamespace(t *testing.T) {
	const elsewhere = "elsewhere"
	for name := range pairs {
		in := install{"shore", elsewhere, valuesOf(t, name)}
		all := renderAs(t, in)
		assert.Empty(t, flaws(elsewhere, all), name)
		for object, found := range all {
			assert.NotContains(t, asYAML(t, found.Object), systemNamespace, object)
			if namespace := found.GetNamespace(); namespace != "" && object != "RoleBinding kube-system/roadstead-apiserver:authentication-reader" {
				assert.Equal(t, elsewhere, namespace, object)
			}
		}
		// The names do not depend on the release: a cluster contains one installation, and Helm
		// refuses a second one.
		assert.Len(t, render(t, in.values), len(all))
		notes := notesOf(t, in)
		assert.NotContains(t, notes, systemNamespace, name)
		assert.Contains(t, notes, elsewhere, name)
	}
}

// notesOf returns the notes that Helm prints after the installation.
func notesOf(t *testing.T, in install) string {
	t.Helper()
	files, err := rendered(in)
	require.NoError(t, err)
	for name, text := range files {
		if path.Base(name) == "NOTES.txt" {
			require.NotContains(t, text, "<no value>")
			return text
		}
	}
	require.Fail(t, "the chart has no NOTES.txt")
	return ""
}

func TestNotesWarnOfWhatIsRisky(t *testing.T) {
	const single, dev, lock, deletes, noHook = "one server with an embedded etcd", "etcd.embedded.dev is set",
		"crdGuard.failurePolicy is Fail with one server", "uninstall.objects is DeleteAll", "uninstall.hook is off"
	for name, test := range map[string]struct {
		values values
		want   []string
	}{
		"defaults":         {nil, []string{single}},
		"without volume":   {values{"etcd": values{"embedded": values{"dev": true}}}, []string{dev}},
		"high":             {valuesOf(t, "ha"), nil},
		"a lock":           {values{"crdGuard": values{"enabled": true, "failurePolicy": "Fail"}}, []string{single, lock}},
		"a lock with two":  {valuesOf(t, "guard-closed"), nil},
		"deletes all":      {values{"uninstall": values{"objects": "DeleteAll"}}, []string{single, deletes}},
		"without the hook": {values{"uninstall": values{"objects": "DeleteAll", "hook": false}}, []string{single, noHook}},
	} {
		notes := notesOf(t, install{"roadstead", systemNamespace, test.values})
		for _, text := range []string{single, dev, lock, deletes, noHook} {
			wanted := false
			for _, want := range test.want {
				wanted = wanted || want == text
			}
			assert.Equal(t, wanted, strings.Contains(notes, text), "%s: %q in\n%s", name, text, notes)
		}
	}
}
