// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

func TestReadChart(t *testing.T) {
	hook := "  annotations:\n    helm.sh/hook: pre-install,pre-upgrade\n"
	conditional := "{{ if .Values.crds.install }}\n" + manifest("widgets", "") + "{{ end }}\n"
	sub := map[string]string{
		"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n", "charts/sub/values.yaml": "more: false\n",
		"charts/sub/crds/t.yaml": manifest("tools", ""), "charts/sub/templates/g.yaml": "{{ if .Values.more }}\n" +
			manifest("gadgets", "") + "{{ end }}",
		"Chart.yaml": chartYAML + "dependencies:\n- {name: sub, version: 0.1.0, repository: '', condition: sub.enabled, tags: [extra]}\n",
	}
	with := func(files map[string]string, more ...string) map[string]string {
		all := map[string]string{"Chart.yaml": chartYAML}
		for name, content := range files {
			all[name] = content
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	values := filepath.Join(lay(t, map[string]string{"v.yaml": "crds: {install: true}\n"}), "v.yaml")
	for name, test := range map[string]struct {
		files   map[string]string
		options ChartOptions
		want    []string
	}{
		"nothing": {files: with(nil, "templates/x.yaml", "kind: ConfigMap"), want: []string{}},
		"the crds folder": {files: with(nil, "crds/a.yaml", manifest("widgets", "")+"---\n"+manifest("gadgets", ""),
			"crds/deep/b.yml", manifest("tools", ""), "crds/readme.md", "kind: CustomResourceDefinition\n: ["),
			want: []string{"widgets crds folder", "gadgets crds folder", "tools crds folder"}},
		"templates": {files: with(nil, "templates/a.yaml", manifest("widgets", ""), "templates/b.yaml",
			manifest("gadgets", keep), "templates/c.yaml", manifest("tools", hook)), want: []string{"widgets template",
			"gadgets template kept", "tools template kept"}},
		"both": {files: with(nil, "crds/a.yaml", manifest("widgets", ""), "templates/a.yaml", manifest("gadgets",
			"")), want: []string{"widgets crds folder", "gadgets template"}},
		"templates are not in crds": {files: with(nil, "crds/a.yaml", strings.Replace(manifest("widgets", ""), "unknown: passed over",
			"unknown: '{{ fail }}'", 1)), want: []string{"widgets crds folder"}},
		"switched off by values": {files: with(nil, "templates/a.yaml", conditional, "values.yaml", "crds: {install: false}"),
			want: []string{}},
		"switched on by --set": {files: with(nil, "templates/a.yaml", conditional, "values.yaml", "crds: {install: false}"),
			options: ChartOptions{Values: []string{"crds.install=true"}}, want: []string{"widgets template"}},
		"switched on by --values": {files: with(nil, "templates/a.yaml", conditional, "values.yaml", "crds: {install: false}"),
			options: ChartOptions{ValueFiles: []string{values}}, want: []string{"widgets template"}},
		"--set wins over --values": {files: with(nil, "templates/a.yaml", conditional),
			options: ChartOptions{ValueFiles: []string{values}, Values: []string{"crds.install=false"}}, want: []string{}},
		"a file that a template includes": {files: with(nil, "files/w.yaml", manifest("widgets", ""), "templates/a.yaml",
			`{{ .Files.Get "files/w.yaml" }}`), want: []string{"widgets template"}},
		"a file that no template includes": {files: with(nil, "files/w.yaml", manifest("widgets", "")), want: []string{}},
		"lookup finds nothing": {files: with(nil, "templates/a.yaml", `{{ if not (lookup "v1" "Namespace" "" "default") }}`+"\n"+
			manifest("widgets", "")+"{{ end }}"), want: []string{"widgets template"}},
		"no name is resolved": {files: with(nil, "templates/a.yaml", `{{ if eq (getHostByName "localhost") "" }}`+"\n"+
			manifest("widgets", "")+"{{ end }}"), want: []string{"widgets template"}},
		"an upgrade": {files: with(nil, "templates/a.yaml", "{{ if .Release.IsUpgrade }}\n"+manifest("widgets", "")+
			"{{ end }}"), want: []string{"widgets template"}},
		"the version of Kubernetes": {files: with(nil, "templates/a.yaml",
			`{{ if semverCompare "<1.30-0" .Capabilities.KubeVersion.Version }}`+"\n"+manifest("widgets", "")+"{{ end }}"),
			options: ChartOptions{KubeVersion: "1.29"}, want: []string{"widgets template"}},
		"the default version": {files: with(nil, "templates/a.yaml",
			`{{ if semverCompare ">=1.37-0" .Capabilities.KubeVersion.Version }}`+"\n"+manifest("widgets", "")+"{{ end }}"),
			want: []string{"widgets template"}},
		"an API version": {files: with(nil, "templates/a.yaml", `{{ if .Capabilities.APIVersions.Has "x.io/v1" }}`+"\n"+
			manifest("widgets", "")+"{{ end }}"), options: ChartOptions{APIVersions: []string{"x.io/v1"}}, want: []string{"widgets template"}},
		"a Kubernetes version that is old": {files: with(nil, "Chart.yaml", chartYAML+"kubeVersion: '<1.20'\n", "templates/a.yaml",
			manifest("widgets", "")), want: []string{"widgets template"}},
		"notes are not a manifest": {files: with(nil, "templates/NOTES.txt", "CustomResourceDefinition: [", "templates/_x.tpl",
			`{{ define "x" }}CustomResourceDefinition: [{{ end }}`), want: []string{}},
		"a subchart": {files: with(sub), want: []string{"tools crds folder"}},
		"a subchart's values": {files: with(sub), options: ChartOptions{Values: []string{"sub.more=true"}},
			want: []string{"tools crds folder", "gadgets template"}},
		"a subchart that is switched off": {files: with(sub), options: ChartOptions{Values: []string{"sub.enabled=false"}}, want: []string{}},
		"a subchart off by its tag":       {files: with(sub), options: ChartOptions{Values: []string{"tags.extra=false"}}, want: []string{}},
		"values against the schema": {files: with(nil, "templates/a.yaml", manifest("widgets", ""), "values.schema.json",
			`{"$ref":"https://example.invalid/schema.json"}`), want: []string{"widgets template"}},
	} {
		t.Run(name, func(t *testing.T) {
			for form, path := range map[string]string{"packed": pack(t, test.files), "folder": lay(t, test.files)} {
				set, err := Read(t.Context(), path, Options{Chart: test.options})
				require.NoError(t, err, form)
				assert.Equal(t, test.want, seen(set), form)
				assert.True(t, set.Chart)
			}
		})
	}
}

func TestReadChart_PackedSubchart(t *testing.T) {
	sub := packed(t, map[string]string{"Chart.yaml": strings.Replace(chartYAML, "operator", "sub", 1), "crds/t.yaml": manifest("tools", "")})
	files := map[string]string{"Chart.yaml": chartYAML, "charts/sub-1.0.0.tgz": string(sub)}
	for _, path := range []string{pack(t, files), lay(t, files)} {
		set, err := ReadChart(t.Context(), path, ChartOptions{})
		require.NoError(t, err)
		assert.Equal(t, []string{"tools crds folder"}, seen(set))
	}
}

func TestReadChart_Services(t *testing.T) {
	set, err := ReadChart(t.Context(), pack(t, map[string]string{"Chart.yaml": chartYAML, "templates/s.yaml": service +
		"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x}\n"}), ChartOptions{})
	require.NoError(t, err)
	assert.Equal(t, []sets.Service{{Name: "hook", Ports: []int32{443, 8443}}}, set.Services)
}

func TestReadChart_Links(t *testing.T) {
	files := map[string]string{"Chart.yaml": chartYAML, "files/w.yaml": manifest("widgets", "")}
	for name, test := range map[string]struct {
		links []file
		want  []string
	}{
		"into the templates": {[]file{{name: "operator/templates/w.yaml", target: "../files/w.yaml"}}, []string{"widgets template"}},
		"into the crds":      {[]file{{name: "operator/crds/w.yaml", target: "../files/w.yaml"}}, []string{"widgets crds folder"}},
		"to a link": {[]file{{name: "operator/templates/w.yaml", target: "../files/l.yaml"}, {name: "operator/files/l.yaml",
			target: "w.yaml"}}, []string{"widgets template"}},
		"to itself":           {[]file{{name: "operator/templates/w.yaml", target: "w.yaml"}}, []string{}},
		"to nowhere":          {[]file{{name: "operator/templates/w.yaml", target: "../nowhere.yaml"}}, []string{}},
		"out of the chart":    {[]file{{name: "operator/templates/w.yaml", target: "../../../../etc/passwd"}}, []string{}},
		"to an absolute path": {[]file{{name: "operator/templates/w.yaml", target: "/etc/passwd"}}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := ReadChart(t.Context(), pack(t, files, test.links...), ChartOptions{})
			require.NoError(t, err)
			assert.Equal(t, test.want, seen(set))
		})
	}
	root := lay(t, map[string]string{"Chart.yaml": chartYAML, "files/w.yaml": manifest("widgets", ""), "templates/x.yaml": ""})
	require.NoError(t, os.Symlink("../files/w.yaml", filepath.Join(root, "templates", "w.yaml")))
	set, err := ReadChart(t.Context(), root, ChartOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"widgets template"}, seen(set))
}

func TestReadChart_Errors(t *testing.T) {
	plain := map[string]string{"Chart.yaml": chartYAML}
	with := func(name, content string) map[string]string {
		return map[string]string{"Chart.yaml": chartYAML, name: content}
	}
	for name, test := range map[string]struct {
		path    string
		options ChartOptions
		want    string
	}{
		"missing file":           {path: "no/such.tgz", want: "no such file or directory"},
		"a folder without chart": {path: lay(t, map[string]string{"x": ""}), want: "Chart.yaml is missing"},
		"not an archive":         {path: filepath.Join(lay(t, map[string]string{"x.tgz": "text"}), "x.tgz"), want: "not a chart archive"},
		"not a chart":            {path: pack(t, map[string]string{"x": "y"}), want: "Chart.yaml"},
		"a name outside of the chart": {path: pack(t, plain, file{name: "operator/../../evil.yaml", content: "x"}),
			want: `the name "operator/../../evil.yaml" is outside of the chart`},
		"a name above":           {path: pack(t, plain, file{name: "../evil.yaml", content: "x"}), want: "is outside of the chart"},
		"an absolute name":       {path: pack(t, plain, file{name: "/etc/evil.yaml", content: "x"}), want: "is outside of the chart"},
		"a name of Windows":      {path: pack(t, plain, file{name: `operator\..\..\evil.yaml`, content: "x"}), want: "is outside of the chart"},
		"a drive":                {path: pack(t, plain, file{name: `c:\evil.yaml`, content: "x"}), want: "is outside of the chart"},
		"a large file":           {path: pack(t, with("files/x", strings.Repeat("x", MaxFile+1))), want: "files/x: is larger than 16 MiB"},
		"a large file in a fold": {path: lay(t, with("files/x", strings.Repeat("x", MaxFile+1))), want: "files/x: is larger than 16 MiB"},
		"a subchart is missing": {path: pack(t, map[string]string{"Chart.yaml": chartYAML +
			"dependencies:\n- {name: sub, version: 1.0.0, repository: x}\n"}),
			want: "subcharts sub of Chart.yaml are missing in charts/: run helm dependency build first"},
		"a template that fails": {path: pack(t, with("templates/a.yaml", `{{ required "say which" .Values.x }}`)),
			want: "render templates (set the required values by --values or --set)"},
		"an invalid template": {path: pack(t, with("templates/a.yaml", "{{ if }}")), want: "render templates"},
		"invalid YAML in a template": {path: pack(t, with("templates/a.yaml", "kind: CustomResourceDefinition\n: [")),
			want: "rendered operator/templates/a.yaml: document 1"},
		"invalid YAML in crds": {path: pack(t, with("crds/a.yaml", "kind: CustomResourceDefinition\n: [")),
			want: "operator/crds/a.yaml: document 1"},
		"two different CRDs of one name": {path: pack(t, map[string]string{"Chart.yaml": chartYAML, "crds/a.yaml": manifest("widgets", ""),
			"templates/a.yaml": strings.Replace(manifest("widgets", ""), "Namespaced", "Cluster", 1)}),
			want: "is defined twice with different specs"},
		"an invalid setting": {path: pack(t, plain), options: ChartOptions{Values: []string{"a"}}, want: "--set a: "},
		"a missing file of values": {path: pack(t, plain), options: ChartOptions{ValueFiles: []string{"no/such.yaml"}},
			want: "--values: no/such.yaml: no such file"},
		"an invalid version": {path: pack(t, plain), options: ChartOptions{KubeVersion: "new"}, want: `"new" is not a Kubernetes version`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadChart(t.Context(), test.path, test.options)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// bomb returns an archive that is small and unpacks to a number of files of zeros.
func bomb(t *testing.T, files int, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	archive := tar.NewWriter(compressed)
	for i := range files {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: "operator/files/" + strconv.Itoa(i), Mode: 0o644,
			Size: size, Typeflag: tar.TypeReg}))
		_, err := io.CopyN(archive, zeros{}, size)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

func TestReadChart_TooLarge(t *testing.T) {
	large := bomb(t, 7, 15<<20)
	_, err := loadArchive(bytes.NewReader(large))
	require.ErrorContains(t, err, "is larger than 100 MiB when unpacked")

	// The sizes of packed subcharts and of the other files are added up.
	half := string(bomb(t, 4, 15<<20))
	nested := map[string]string{"Chart.yaml": chartYAML, "charts/a.tgz": half, "charts/b.tgz": half}
	for _, path := range []string{pack(t, nested), lay(t, nested)} {
		_, err = ReadChart(t.Context(), path, ChartOptions{})
		require.ErrorContains(t, err, "is larger than 100 MiB when unpacked")
		require.ErrorContains(t, err, "charts/b.tgz")
	}
}

func TestReadChart_TooManyNames(t *testing.T) {
	_, err := loadPacked(bomb(t, MaxChart/maxEntry+1, 0))
	var tooLarge *TooLargeError
	require.ErrorAs(t, err, &tooLarge)
	require.ErrorContains(t, err, "is larger than 100 MiB when unpacked")
	_, err = loadPacked(bomb(t, 7, 15<<20))
	require.ErrorAs(t, err, &tooLarge)
}

func TestReadPacked(t *testing.T) {
	files := map[string]string{"Chart.yaml": chartYAML, "templates/w.yaml": "{{ if .Values.crds.install }}\n" +
		manifest("widgets", "") + "{{ end }}"}
	on := map[string]any{"crds": map[string]any{"install": true}}
	set, err := ReadPacked(t.Context(), "operator 1.0.0", packed(t, files),
		ChartOptions{ValueMaps: []map[string]any{{"crds": map[string]any{"install": false, "more": 1}}, on}})
	require.NoError(t, err)
	assert.Equal(t, []string{"widgets template"}, seen(set))
	assert.Equal(t, "operator 1.0.0", set.Name)
	assert.Equal(t, map[string]any{"crds": map[string]any{"install": true}}, on, "values are not modified")

	var render *RenderError
	_, err = ReadPacked(t.Context(), "operator 1.0.0", packed(t, files), ChartOptions{GivenBy: "in spec.values"})
	require.ErrorAs(t, err, &render)
	require.ErrorContains(t, err, "operator 1.0.0: render templates (set the required values in spec.values): ")

	var unsafe *UnsafeError
	for _, one := range []file{{name: "operator/crds/x.yaml", target: "w.yaml"}, {name: "operator/../../x", content: "x"}} {
		_, err = ReadPacked(t.Context(), "operator 1.0.0", packed(t, files, one), ChartOptions{})
		require.ErrorAs(t, err, &unsafe)
	}
}
