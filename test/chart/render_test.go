// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	helmchart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	sigsyaml "sigs.k8s.io/yaml"
)

const (
	chartFolder  = "../../artifacts/chart/roadstead"
	deployFolder = "../../artifacts/deploy"
	// systemNamespace is the namespace in the kustomize directories.
	systemNamespace = "roadstead-system"
)

// values are the values of a values file or of --set.
type values = map[string]any

// objects are keyed by "Kind namespace/name".
type objects map[string]*unstructured.Unstructured

// loadChart reads the chart as Helm does. Rendering does not change it.
var loadChart = sync.OnceValues(func() (*helmchart.Chart, error) { return loader.LoadDir(chartFolder) })

// tester is implemented by *testing.T and by *rapid.T.
type tester interface {
	require.TestingT
	Helper()
}

// install contains the inputs of a rendering.
type install struct {
	release, namespace string
	values             values
}

// rendered returns all files that the chart renders to, or the error of the schema or of a template
// that "helm install" prints.
func rendered(in install) (map[string]string, error) {
	loaded, err := loadChart()
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: in.release, Namespace: in.namespace, Revision: 1, IsInstall: true}
	all, err := commonutil.ToRenderValues(loaded, in.values, options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, all)
}

// render returns the objects of an installation with the names of the kustomize directories.
func render(t tester, of values) objects {
	t.Helper()
	return renderAs(t, install{"roadstead", systemNamespace, of})
}

func renderAs(t tester, in install) objects {
	t.Helper()
	files, err := rendered(in)
	require.NoError(t, err)
	all := objects{}
	for name, text := range files {
		if path.Base(name) == "NOTES.txt" {
			continue
		}
		all.add(t, name, text)
	}
	return all
}

// add parses the objects of a text. Two objects of the same name are an error because the later one
// would overwrite the first in the cluster.
func (o objects) add(t tester, origin, text string) {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "%s:\n%s", origin, text)
		if len(object.Object) == 0 {
			continue
		}
		require.NotContains(t, o, key(object), origin)
		o[key(object)] = object
	}
}

func key(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + path.Join(object.GetNamespace(), object.GetName())
}

// kustomized caches the objects of directories, which do not change while the tests run.
var kustomized sync.Map

// kustomize returns the objects of directories below artifacts/deploy, as if the directories were
// applied one after the other.
func kustomize(t tester, folders ...string) objects {
	t.Helper()
	all := objects{}
	for _, folder := range folders {
		text, ok := kustomized.Load(folder)
		if !ok {
			built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(deployFolder, folder))
			require.NoError(t, err)
			asYAML, err := built.AsYaml()
			require.NoError(t, err)
			text = string(asYAML)
			kustomized.Store(folder, text)
		}
		all.add(t, folder, text.(string))
	}
	return all
}

// valuesOf reads a file of the chart's directory ci.
func valuesOf(t tester, name string) values {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(chartFolder, "ci", name+"-values.yaml"))
	require.NoError(t, err)
	read := values{}
	require.NoError(t, sigsyaml.UnmarshalStrict(content, &read))
	return read
}

// asYAML formats a value for messages.
func asYAML(t tester, value any) string {
	t.Helper()
	content, err := sigsyaml.Marshal(value)
	require.NoError(t, err)
	return string(bytes.TrimSpace(content))
}
