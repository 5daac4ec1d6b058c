// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// document returns the text of a bill of materials.
func document(t *testing.T, bom v1.Image) []byte {
	t.Helper()
	layers, err := bom.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	mediaType, err := layers[0].MediaType()
	require.NoError(t, err)
	assert.Equal(t, bomType, mediaType)
	stream, err := layers[0].Uncompressed()
	require.NoError(t, err)
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(stream)
	require.NoError(t, err)
	return text
}

func TestABillOfMaterialsRefersToItsImage(t *testing.T) {
	require.Len(t, here.result.boms, 2)
	for i, architecture := range []string{runtime.GOARCH, foreign} {
		manifest, err := here.result.boms[i].Manifest()
		require.NoError(t, err)
		assert.Equal(t, types.OCIManifestSchema1, manifest.MediaType)
		assert.Equal(t, digest(t, image(t, architecture)), manifest.Subject.Digest.String())
		assert.Equal(t, bomType, manifest.Config.MediaType, "by which registries tell the type of a referrer")
	}
}

func TestABillOfMaterialsNamesAllThatIsInTheImage(t *testing.T) {
	for i, architecture := range []string{runtime.GOARCH, foreign} {
		var bom cdx.BOM
		text := document(t, here.result.boms[i])
		require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom))
		assert.Equal(t, "pkg:golang/roadstead.dev/roadstead@v1.2.3", bom.Metadata.Component.PackageURL)
		assert.Equal(t, "sample", bom.Metadata.Component.Name)

		binary := unpack(t, image(t, architecture))[sample.name].content
		info, err := buildinfo.Read(bytes.NewReader(binary))
		require.NoError(t, err)
		require.NotEmpty(t, info.Deps)
		want := map[string]string{"stdlib": strings.TrimPrefix(info.GoVersion, "go")}
		for _, dependency := range info.Deps {
			want[dependency.Path] = dependency.Version
		}
		want[bundleModule] = goModVersion(t, bundleModule)
		got := map[string]string{}
		for _, component := range *bom.Components {
			got[component.Name] = component.Version
		}
		assert.Equal(t, want, got)
		assert.Contains(t, string(text), `"purl": "pkg:golang/k8s.io/component-base@v`)
	}
}

func TestABillOfMaterialsKeepsToTheSchema(t *testing.T) {
	folder := filepath.Join(moduleFolder(t, "github.com/CycloneDX/cyclonedx-go"), "schema")
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json",
		"jsf-0.82.schema.json": "jsf-0.82.schemax.json"} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
		require.NoError(t, err)
		require.NoError(t, compiler.AddResource("http://cyclonedx.org/schema/"+name, parsed))
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	require.NoError(t, err)
	for _, bom := range here.result.boms {
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document(t, bom)))
		require.NoError(t, err)
		assert.NoError(t, schema.Validate(parsed))
		parsed.(map[string]any)["components"].([]any)[0].(map[string]any)["type"] = "song"
		assert.Error(t, schema.Validate(parsed), "the schema is looked at")
	}
}

func moduleFolder(t *testing.T, module string) string { return list(t, "{{.Dir}}", module) }

func goModVersion(t *testing.T, module string) string { return list(t, "{{.Version}}", module) }

func list(t *testing.T, format, module string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", format, module).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(output))
}

// TestNamesInPackageURLs checks the rules of package URLs for Go, which scanners follow.
func TestNamesInPackageURLs(t *testing.T) {
	for module, want := range map[[2]string]string{
		{"k8s.io/api", "v0.37.2"}:                        "pkg:golang/k8s.io/api@v0.37.2",
		{"github.com/Masterminds/sprig/v3", "v3.3.0"}:    "pkg:golang/github.com/masterminds/sprig/v3@v3.3.0",
		{"github.com/docker/cli", "v2.0.0+incompatible"}: "pkg:golang/github.com/docker/cli@v2.0.0%2Bincompatible",
		{"stdlib", "1.26.8"}:                             "pkg:golang/stdlib@1.26.8",
	} {
		got, err := goModule(cdx.ComponentTypeLibrary, module[0], module[1])
		require.NoError(t, err)
		assert.Equal(t, want, got.PackageURL)
	}
}
