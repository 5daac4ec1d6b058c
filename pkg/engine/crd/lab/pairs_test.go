// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/live"
)

// pairs are the changes of the table, each in its own directory.
const pairs = "../compare/testdata/pairs"

func TestCompare_WarnsOfEveryEffectOfPairs(t *testing.T) {
	olds, err := filepath.Glob(filepath.Join(pairs, "*", "old.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, olds)
	for _, old := range olds {
		directory := filepath.Dir(old)
		t.Run(filepath.Base(directory), func(t *testing.T) {
			e := experiment{trial: trial{old: read(t, old), new: read(t, filepath.Join(directory, "new.yaml"))}}
			e.oldRoot, e.newRoot = rootOf(t, e.old), rootOf(t, e.new)
			var err error
			if e.oldSchema, err = live.NewSchema(e.old, e.old.Spec.Versions[0].Name); err != nil {
				t.Fatal(err)
			}
			if e.newSchema, err = live.NewSchema(e.new, e.old.Spec.Versions[0].Name); err != nil {
				// Objects cannot be read if the version or its schema was removed.
				return
			}
			draws := rapid.Custom(func(t *rapid.T) experiment {
				drawn := e
				drawn.draw(t)
				return drawn
			})
			for seed := range 4 {
				if complaint := draws.Example(seed).complaint(); complaint != "" {
					t.Fatal(complaint)
				}
			}
		})
	}
}

func read(t *testing.T, path string) *apiextensionsv1.CustomResourceDefinition {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	definition := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, yaml.Unmarshal(text, definition))
	return definition
}

// rootOf returns the schema of a CRD's first version, or nil.
func rootOf(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) schema {
	encoded, err := json.Marshal(definition.Spec.Versions[0].Schema)
	require.NoError(t, err)
	var validation map[string]schema
	require.NoError(t, json.Unmarshal(encoded, &validation))
	return validation["openAPIV3Schema"]
}
