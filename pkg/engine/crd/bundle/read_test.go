// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func asJSON(t *testing.T, text string) string {
	t.Helper()
	encoded, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	return string(encoded)
}

func TestRead_Documents(t *testing.T) {
	other := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  text: |\n    kind: CustomResourceDefinition\n"
	list := func(kind, apiVersion string, items ...string) string {
		return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","items":[` + strings.Join(items, ",") + "]}"
	}
	bare := strings.NewReplacer(`"kind":"CustomResourceDefinition",`, "", `"apiVersion":"apiextensions.k8s.io/v1",`,
		"").Replace(asJSON(t, manifest("tools", "")))
	for name, test := range map[string]struct {
		content string
		want    []string
		lines   []int
	}{
		"one": {manifest("widgets", ""), []string{"widgets manifest"}, []int{1}},
		"several, others between": {"# a comment\n---\n" + manifest("widgets", "") + "---\n" + other + "---\n\n--- # next\n" +
			manifest("gadgets", ""), []string{"widgets manifest", "gadgets manifest"}, []int{3, 28}},
		"JSON": {asJSON(t, manifest("widgets", "")), []string{"widgets manifest"}, []int{1}},
		"on the line of a separator": {manifest("widgets", "") + "--- " + asJSON(t, manifest("gadgets", "")) + "\n",
			[]string{"widgets manifest", "gadgets manifest"}, []int{1, 16}},
		"with a directive":       {"%YAML 1.1\n---\n" + manifest("widgets", ""), []string{"widgets manifest"}, []int{3}},
		"with a byte order mark": {"\xEF\xBB\xBF" + manifest("widgets", ""), []string{"widgets manifest"}, []int{1}},
		"with carriage returns": {strings.ReplaceAll(manifest("widgets", "")+"---\n"+manifest("gadgets", ""), "\n", "\r\n"),
			[]string{"widgets manifest", "gadgets manifest"}, []int{1, 17}},
		"a List": {list("List", "v1", asJSON(t, manifest("widgets", "")), asJSON(t, other),
			asJSON(t, manifest("gadgets", ""))), []string{"widgets manifest", "gadgets manifest"}, []int{1, 1}},
		"a list in a List": {list("List", "v1", list("List", "v1", asJSON(t, manifest("widgets", "")))),
			[]string{"widgets manifest"}, []int{1}},
		"a list of definitions only": {list("CustomResourceDefinitionList", "apiextensions.k8s.io/v1", bare),
			[]string{"tools manifest"}, []int{1}},
		"identical duplicates": {manifest("widgets", "") + "---\n" + manifest("widgets", ""), []string{"widgets manifest",
			"widgets manifest"}, []int{1, 17}},
		"end of a document by dots": {manifest("widgets", "") + "...\n---\n" + manifest("gadgets", ""), []string{"widgets manifest",
			"gadgets manifest"}, []int{1, 18}},
		"a separator within a string": {"apiVersion: v1\nkind: X\ntext: |\n  ---\n  a\n---\n" + manifest("gadgets", ""),
			[]string{"gadgets manifest"}, []int{7}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := Read(t.Context(), Stdin, Options{Stdin: strings.NewReader(test.content)})
			require.NoError(t, err)
			assert.Equal(t, test.want, seen(set))
			var lines []int
			for _, member := range set.Members {
				lines = append(lines, member.Line)
				assert.Equal(t, "standard input", member.File)
			}
			assert.Equal(t, test.lines, lines)
		})
	}
}

func TestRead_Errors(t *testing.T) {
	broken := manifest("widgets", "") + "---\n" + strings.Replace(manifest("gadgets", ""), "served: true", "served: perhaps", 1)
	for name, test := range map[string]struct{ content, want string }{
		"empty":        {"", "crd.yaml: contains no CustomResourceDefinition"},
		"comments":     {"# nothing\n---\n", "crd.yaml: contains no CustomResourceDefinition"},
		"another kind": {"apiVersion: v1\nkind: Secret\n", "crd.yaml: contains no CustomResourceDefinition"},
		"no object":    {"just text", "crd.yaml: document 1 (line 1): decode Kubernetes object: "},
		"no YAML":      {manifest("widgets", "") + "---\na: [", "crd.yaml: document 2 (line 17): "},
		"a wrong type": {broken, "crd.yaml: document 2 (line 17): "},
		"an unknown group": {strings.Replace(manifest("widgets", ""), "k8s.io/v1", "k8s.io/v2", 1),
			`crd.yaml: document 1 (line 1): apiVersion "apiextensions.k8s.io/v2" of a CustomResourceDefinition is not supported`},
		"no name": {strings.Replace(manifest("widgets", ""), "name: widgets.example.com", "labels: {}", 1),
			"crd.yaml: a CustomResourceDefinition has no metadata.name"},
		"two that differ": {manifest("widgets", "") + "---\n" + strings.Replace(manifest("widgets", ""), "Namespaced", "Cluster", 1),
			"CustomResourceDefinition widgets.example.com is defined twice with different specs: in crd.yaml and in crd.yaml:17"},
		"one in a List": {`{"apiVersion":"v1","kind":"List","items":[{"kind":"X"},{"kind":"CustomResourceDefinition"}]}`,
			"crd.yaml: document 1 (line 1): item 2: "},
		"more than 16 MiB":  {"# " + strings.Repeat("x", MaxFile), "crd.yaml: is larger than 16 MiB"},
		"a number for kind": {"kind: 7", "crd.yaml: document 1 (line 1): decode Kubernetes object: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(lay(t, map[string]string{"crd.yaml": test.content}))
			_, err := Read(t.Context(), "crd.yaml", Options{})
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := Read(t.Context(), "no/such.yaml", Options{})
	require.EqualError(t, err, "no/such.yaml: no such file or directory")
}

func TestRead_V1beta1(t *testing.T) {
	set, err := Read(t.Context(), Stdin, Options{Stdin: strings.NewReader(`apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  version: v1
  names: {plural: widgets, kind: Widget}
  subresources: {status: {}}
  additionalPrinterColumns: [{name: Size, type: string, JSONPath: .spec.size}]
  validation:
    openAPIV3Schema:
      type: object
      properties: {spec: {type: object, properties: {size: {type: string}}}}
`)})
	require.NoError(t, err)
	require.Len(t, set.Members, 1)
	spec := set.Members[0].CRD.Spec
	require.Len(t, spec.Versions, 1)
	version := spec.Versions[0]
	assert.True(t, spec.PreserveUnknownFields, "the default of v1beta1")
	assert.Equal(t, []any{"v1", true, true}, []any{version.Name, version.Served, version.Storage})
	assert.Equal(t, "string", version.Schema.OpenAPIV3Schema.Properties["spec"].Properties["size"].Type)
	assert.NotNil(t, version.Subresources.Status)
	assert.Equal(t, ".spec.size", version.AdditionalPrinterColumns[0].JSONPath)
}

func TestRead_Folders(t *testing.T) {
	root := lay(t, map[string]string{
		"b.yaml": manifest("widgets", ""), "a/c.yml": manifest("gadgets", ""), "a/d.JSON": asJSON(t, manifest("tools", "")),
		"readme.md": manifest("secrets", ""), ".git/x.yaml": manifest("secrets", ""),
		"template.yaml": "{{ if broken }}", "elsewhere.txt": manifest("linked", ""),
	})
	for link, target := range map[string]string{
		"loop": ".", "a/up": "..", "self": "self", "dangling": "nowhere", "link.yaml": "elsewhere.txt", "again.yaml": "b.yaml", "z": "a",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	set, err := Read(t.Context(), root, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"gadgets manifest", "tools manifest", "widgets manifest", "linked manifest"}, seen(set))
	assert.Equal(t, filepath.Join(root, "a/c.yml"), set.Members[0].File)

	require.NoError(t, os.Symlink("nowhere", filepath.Join(root, "lost.yaml")))
	_, err = Read(t.Context(), root, Options{})
	require.EqualError(t, err, filepath.Join(root, "lost.yaml")+": no such file or directory")

	_, err = Read(t.Context(), lay(t, map[string]string{"values.yaml": "a: 1"}), Options{})
	require.ErrorContains(t, err, "contains no CustomResourceDefinition")
	broken := lay(t, map[string]string{"x.yaml": "kind: CustomResourceDefinition\n a: ["})
	_, err = Read(t.Context(), broken, Options{})
	require.ErrorContains(t, err, filepath.Join(broken, "x.yaml")+": document 1 (line 1): ")
}

func TestRead_LargeNumbers(t *testing.T) {
	text := strings.Replace(manifest("widgets", ""), "{type: object}",
		"{type: object, properties: {count: {type: integer, minimum: 1, default: 9007199254740993}}}", 1)
	set, err := Read(t.Context(), Stdin, Options{Stdin: bytes.NewBufferString(text)})
	require.NoError(t, err)
	node := set.Members[0].CRD.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["count"]
	assert.Equal(t, &apiextensionsv1.JSON{Raw: json.RawMessage("9007199254740993")}, node.Default)
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(manifest("widgets", keep) + "---\n" + service))
	f.Add([]byte("%YAML 1.1\n---\n--- {}\n...\n"))
	f.Add([]byte(`{"kind":"List","items":[null,{}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := decode("x", content)
		if err != nil && (len(found.members) > 0 || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%d members and %q", len(found.members), err)
		}
	})
}
