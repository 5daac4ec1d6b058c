// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/served"
)

func pages(t *testing.T) map[string][]byte {
	t.Helper()
	rendered, err := Render()
	require.NoError(t, err)
	return rendered
}

// paths adds the paths of all fields of Roadstead's types in a type, by reflection instead of the
// source.
func paths(kind reflect.Type, pkg, path string, into map[string]bool) {
	switch {
	case kind.Kind() == reflect.Pointer:
		paths(kind.Elem(), pkg, path, into)
		return
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() != reflect.Uint8:
		paths(kind.Elem(), pkg, path+"[]", into)
		return
	case kind.Kind() == reflect.Map:
		paths(kind.Elem(), pkg, path+".*", into)
		return
	case kind.Kind() != reflect.Struct || kind.PkgPath() != pkg:
		return
	}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "metadata" {
			continue
		}
		into[join(path, name)] = true
		paths(kind.Field(i).Type, pkg, join(path, name), into)
	}
}

func TestEveryFieldOfEveryKindIsThere(t *testing.T) {
	rendered := pages(t)
	resources, err := served.Resources()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(resources), 9)
	for _, resource := range resources {
		group, _, _ := strings.Cut(resource.GroupVersion.Group, ".")
		page := string(rendered[Folder+"/"+group+".md"])
		_, text, found := strings.Cut(page, "\n## "+resource.Kind.Kind+"\n")
		require.True(t, found, resource.Kind)
		text, _, _ = strings.Cut(text, "\n## ")
		object, err := served.New(resource.Kind)
		require.NoError(t, err)
		kind := reflect.TypeOf(object).Elem()
		fields := map[string]bool{}
		paths(kind, kind.PkgPath(), "", fields)
		for path := range fields {
			if path != "spec" && path != "status" {
				assert.Contains(t, text, "| `"+path+"` |", resource.Kind)
			}
		}
		assert.Contains(t, text, "kind: "+resource.Kind.Kind+"\n", "an example")
	}
}

func TestWhatAPageSaysOfFields(t *testing.T) {
	page := string(pages(t)[Folder+"/takaro.md"])
	for _, line := range []string{
		"| `spec.takaroApiUrl` | string | required; immutable; at most 2048 characters | `takaroApiUrl` is the address",
		"| `spec.credentialsSecretRef.key` | string | default `adminToken`; ",
		"| `spec.caBundleSecretRef.key` | string | default `ca.crt`; ",
		"| `spec.simulationFrequencies.chat` | integer | default `50`; 0 to 100 |",
		"| `spec.redis.port` | integer | default `6379`; 1 to 65535 | `port` is ",
		"| `status.ownership` | object |  | `ownership` records ",
		"| `spec.deletionPolicy` | string | default `Delete`; one of `Delete`, `Disable`, `Retain` |",
		"| `spec.resources` | ResourceRequirements as in a pod |",
		"| `status.gameServers[].name` | string | required |",
		"| `status.conditions` | list of [conditions](../concepts.md#conditions) |",
		"| `mockservers/scale` | get, update, patch; Scale of autoscaling/v1 |",
		"| `users/credentials` | create; [UserCredentials](#usercredentials) |",
		"\n### UserCredentials\n",
		"with `-o wide` also ENDPOINT, REFERENCE, REASON |",
	} {
		assert.Contains(t, page, line)
	}
	assert.Contains(t, string(pages(t)[Folder+"/release.md"]), "| `spec.valuesFrom[].secretRef.key` | string | default `values.yaml`; ")
	for name, page := range pages(t) {
		assert.NotContains(t, string(page), "\n\n\n", name)
		assert.NotContains(t, string(page), "+k8s", name)
	}
}

const types = `// Package v1 is the version v1 of a group.
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Thing is a thing.
type Thing struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	// Size of it, see <size>.
	//
	// More.
	// +required
	// +k8s:minimum=2
	Size int32 ` + "`json:\"size\"`" + `
	// Parts by name.
	// +optional
	// +k8s:maxProperties=3
	Parts map[string]Part ` + "`json:\"parts,omitempty\"`" + `
	// Raw bytes.
	Raw []byte ` + "`json:\"raw,omitempty\"`" + `
}

// Part may hold others.
type Part struct {
	// Color of it.
	Color Color ` + "`json:\"color,omitempty\"`" + `
	// Below it.
	Below []*Part ` + "`json:\"below,omitempty\"`" + `
}

// Color of a part.
// +enum
type Color string

const (
	// Red is for alarms.
	Red Color = "Red"
	// Blue is for the rest.
	Blue Color = "Blue"
)
`

func TestFieldsOfTypes(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "types.go"), []byte(types), 0o600))
	read, err := readSource(folder)
	require.NoError(t, err)
	assert.Equal(t, "Package v1 is the version v1 of a group.", read.Doc)
	collector := &collector{source: read, defaults: map[string]string{"size": "4"}}
	require.NoError(t, collector.structFields("Thing", "", nil))
	assert.Equal(t, []row{
		{Path: "size", Type: "integer", Rules: []string{"required", "default `4`", "at least 2"}, Meaning: "`size` of it, see <size>.\n\nMore."},
		{Path: "parts", Type: "map of objects", Rules: []string{"at most 3 entries"}, Meaning: "`parts` by name."},
		{Path: "parts.*.color", Type: "string", Rules: []string{"one of `Red`, `Blue`"},
			Meaning: "`color` of it. `Red` is for alarms. `Blue` is for the rest."},
		{Path: "parts.*.below", Type: "list of objects", Meaning: "`below` it."},
		{Path: "raw", Type: "bytes", Meaning: "`raw` bytes."},
	}, collector.rows, "a type within itself ends")
	assert.Equal(t, "`size` of it, see &lt;size&gt;.  More.", cell(collector.rows[0].Meaning))
}

func TestAnExampleIsWhatAPersonWouldWrite(t *testing.T) {
	manifest, err := asTyped([]byte("apiVersion: a/v1\nkind: B\nmetadata: {name: c, uid: d, generation: 2}\nspec: {e: 1}\nstatus: {f: 2}\n"))
	require.NoError(t, err)
	assert.Equal(t, "apiVersion: a/v1\nkind: B\nmetadata:\n  name: c\nspec:\n  e: 1\n", manifest)
}
