// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// requireErrors compares errors with lines of the form "path: part of the message".
func requireErrors(t *testing.T, want []string, errs field.ErrorList) {
	t.Helper()
	require.Len(t, errs, len(want), "%v", errs)
	for i, line := range want {
		path, says, _ := strings.Cut(line, ": ")
		require.Equal(t, path, errs[i].Field)
		require.Contains(t, errs[i].Error(), says)
	}
}

func raw(text string) runtime.RawExtension { return runtime.RawExtension{Raw: []byte(text)} }

// widgets returns the manifest of a CRD, after edits of its JSON.
func widgets(t *testing.T, edits ...func(map[string]any)) runtime.RawExtension {
	t.Helper()
	manifest := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
	  "metadata":{"name":"widgets.example.com","creationTimestamp":null},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget",
		  "listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		  "properties":{"spec":{"type":"object","properties":{"size":{"type":"integer","maximum":5}}}}}}}]},
		"status":{"conditions":[],"storedVersions":[]}}`), &manifest))
	for _, edit := range edits {
		edit(manifest)
	}
	encoded, err := json.Marshal(manifest)
	require.NoError(t, err)
	return runtime.RawExtension{Raw: encoded}
}
