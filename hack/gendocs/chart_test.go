// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValuesOfAChart(t *testing.T) {
	sections, err := valueSections([]byte(`# The head of the file.

image:
  # -- Where from: see docs/operations.md#images
  # or ask.
  registry: a|b
  # -- Empty is allowed.
  tag: ""
# -- Goes with what is before it.
secrets: []
program:
  # A remark that is no documentation.
  resources:
    # -- Some of it.
    requests:
      cpu: 10m
    # -- How many.
    count: 2
`))
	require.NoError(t, err)
	assert.Equal(t, []valueSection{
		{"image", []valueRow{
			{"`image.registry`", "`a|b`", "Where from: see [operations.md](operations.md#images) or ask."},
			{"`image.tag`", "", "Empty is allowed."},
			{"`secrets`", "`[]`", "Goes with what is before it."},
		}},
		{"program", []valueRow{
			{"`program.resources.requests`", "`{\"cpu\":\"10m\"}`", "Some of it."},
			{"`program.resources.count`", "`2`", "How many."},
		}},
	}, sections)
}

func TestAValueWithoutACommentIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a:\n  # -- Told.\n  b: 1\n  c: 2\n": `a.c has no comment that begins with "# --"`,
		"a: {}\n":                            "a has no comment",
		"# About a.\na: 1\n":                 "a has no comment",
		"- a\n":                              "it is no object",
		"a: [":                               "yaml",
	} {
		_, err := valueSections([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err := renderChart(t.TempDir())
	assert.ErrorContains(t, err, valuesFile)
}

func TestTemplateOfAManifest(t *testing.T) {
	got, err := chartTemplate{Source: "a/b.yaml", Name: "ours", Condition: ".Values.x", Hook: `"hook" "1"`}.from(`# Why.
apiVersion: v1
kind: Service
metadata:
  name: a
  namespace: roadstead-system
  labels:
    # Found by it.
    app.kubernetes.io/name: other
    more: "true"
spec:
  # In it.
  clusterIP: None
---
kind: Role
metadata:
  name: b
`)
	require.NoError(t, err)
	assert.Equal(t, `{{- /* Written by go run ./hack/gendocs from artifacts/deploy/a/b.yaml. */}}
{{- if .Values.x }}
# Why.
apiVersion: v1
kind: Service
metadata:
  name: a
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "roadstead.labels" (list $ "other") | nindent 4 }}
    # Found by it.
    more: "true"
  annotations:
    {{- include "hook" "1" | nindent 4 }}
spec:
  # In it.
  clusterIP: None
---
kind: Role
metadata:
  name: b
  labels:
    {{- include "roadstead.labels" (list $ "ours") | nindent 4 }}
  annotations:
    {{- include "hook" "1" | nindent 4 }}
{{- end }}
`, got)
}

func TestManifestsThatMakeNoTemplate(t *testing.T) {
	for manifest, want := range map[string]string{
		"kind: Role\nmetadata:\n  name: '{{ x }}'\n": "which Helm would take for a template",
		"kind: Role\n": "an object without metadata",
		"kind: Role\nmetadata:\n  name: b\n  annotations:\n    a: b\n": "annotations of its own",
	} {
		_, err := chartTemplate{Hook: "x"}.from(manifest)
		assert.ErrorContains(t, err, want)
	}
	_, err := renderTemplates(t.TempDir())
	assert.ErrorContains(t, err, "apiserver-rbac.yaml")
	_, err = auditPolicy(filepath.Join(root, deployFolder, "base", "service.yaml"))
	assert.ErrorContains(t, err, "has no policy.yaml")
}
