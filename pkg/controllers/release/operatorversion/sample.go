// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"

	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

// sampleFiles is a chart with one CRD, whose template uses the usual features of charts: values,
// functions, loops and time.
var sampleFiles = [][2]string{
	{"sample/Chart.yaml", "apiVersion: v2\nname: sample\nversion: 1.0.0\n"},
	{"sample/templates/crd.yaml", `{{- $checked := now | date "2006" -}}
{{- $name := printf "%s.example.com" .Values.plural -}}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: {{ $name | quote }}, annotations: {a: {{ sha256sum $name | quote }}, b: {{ randAlphaNum 8 | quote }}}}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: {{ .Values.plural }}, kind: Widget}
  versions:
  {{- range $i := until 3 }}
  - name: v{{ add $i 1 }}
    served: true
    storage: {{ eq $i 2 }}
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, minimum: {{ $i }}}}}}}}
  {{- end }}
`},
}

// RenderSample renders a small chart in the sandbox, as its self-test.
func RenderSample(ctx context.Context, seat *sandbox.Seat) error {
	packed, err := pack(sampleFiles)
	if err != nil {
		return err
	}
	values := func(plural string) []map[string]any { return []map[string]any{{"plural": plural}} }
	objects, err := seat.Run(ctx, ChartHandler, chartRequest{
		Archive: &repository.Archive{Name: "sample", Version: "1.0.0", Packed: packed},
		With: []chartValues{{Name: "one", Maps: values("widgets")}, {Name: "two", Maps: values("gadgets")},
			{Name: "three", Maps: values("widgets")}},
	}, nil)
	if err != nil {
		return err
	}
	crds, findings, err := crdsOf(objects)
	if err != nil {
		return err
	}
	if len(crds) != 2 || len(findings) == 0 {
		return errors.New("the sample chart was not rendered as it should be")
	}
	return nil
}

// pack packs files into an archive as "helm package" does.
func pack(files [][2]string) ([]byte, error) {
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		header := &tar.Header{Name: file[0], Mode: 0o644, Size: int64(len(file[1])), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write([]byte(file[1])); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
