// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chart writes a chart whose only template is a manifest.
func chart(t *testing.T, dir, version, manifest string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "templates"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v2\nname: operator\nversion: "+version+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "templates", "crd.yaml"), []byte(manifest), 0o600))
}

// TestHelmIsRefusedToo verifies that Helm prints the message of a rejection, which ends with the
// command that allows the change, as the causes printed by kubectl do.
func TestHelmIsRefusedToo(t *testing.T) {
	guarded(t)
	d := definition{plural: "widgets", group: env.Name("x") + ".guard.example.com", kind: "Widget"}
	dir, release := t.TempDir(), env.Name("operator")
	chart(t, dir, "1.0.0", d.yaml(sized))
	out, err := env.Helm(t, "install", release, dir)
	require.NoError(t, err, out)

	chart(t, dir, "2.0.0", d.yaml(narrowed))
	out, err = env.Helm(t, "upgrade", release, dir)
	t.Log(out)
	require.Error(t, err, out)
	assert.True(t, hasColor(t, d))
	assert.Contains(t, out, "change of CustomResourceDefinition "+d.name()+" is rejected because it is breaking: 1 finding")
	assert.Contains(t, out, "- spec.versions[v1].schema.spec.color: [CRD-101 B!]")
	assert.Contains(t, out, "to allow exactly this change once, run: kubectl annotate crd "+d.name()+" roadstead.dev/allow-change=sha256:")

	kubectl(t, "", wayOut(t, out)...)
	out, err = env.Helm(t, "upgrade", release, dir)
	require.NoError(t, err, out)
	assert.False(t, hasColor(t, d))
}
