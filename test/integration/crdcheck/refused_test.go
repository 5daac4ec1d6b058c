// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdcheck

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/test/framework"
)

const pairs = "../../../pkg/engine/crd/compare/testdata/pairs"

// TestTheServerRefusesJustWhatIsSaidToBeRefused creates the old CRD of every pair in the cluster
// and updates it to the new one, and vice versa.
func TestTheServerRefusesJustWhatIsSaidToBeRefused(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(pairs, "verdicts.json"))
	require.NoError(t, err)
	verdicts := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(raw, &verdicts))
	var tried atomic.Int64
	for id := range verdicts {
		for _, direction := range []struct{ name, from, to string }{{"there", "old.yaml", "new.yaml"}, {"back", "new.yaml", "old.yaml"}} {
			t.Run(id+"/"+direction.name, func(t *testing.T) {
				t.Parallel()
				from, to := read(t, id, direction.from), read(t, id, direction.to)
				if len(from.Status.StoredVersions) > 0 && len(from.Status.Conditions) == 0 {
					return // concerns a CRD that is not Established yet, but this one is Established immediately
				}
				group := strings.ToLower(id) + "." + direction.name + ".example.com"
				for _, definition := range []*apiextensionsv1.CustomResourceDefinition{from, to} {
					if definition.Spec.Group == "example.com" {
						definition.Spec.Group = group
					}
					definition.Name = "tests." + group
					definition.ResourceVersion, definition.UID = "", ""
				}
				live, made := establish(t, from)
				if !made {
					return // the server rejects the creation of this CRD
				}
				tried.Add(1)
				said := compare.Compare(live, to, compare.Options{})
				to.ResourceVersion = live.ResourceVersion
				_, err := definitions.ApiextensionsV1().CustomResourceDefinitions().Update(t.Context(), to,
					metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
				if said.Verdict == rules.Refused {
					require.True(t, apierrors.IsInvalid(err), "%v: %+v", err, said.Findings)
					return
				}
				require.NoError(t, err)
			})
		}
	}
	t.Cleanup(func() { require.Greater(t, tried.Load(), int64(200)) })
}

func read(t *testing.T, id, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pairs, id, file))
	require.NoError(t, err)
	var definition apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.Unmarshal(raw, &definition))
	return &definition
}

// establish creates a CRD, waits until it is served and sets the stored versions that it should
// have.
func establish(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, bool) {
	t.Helper()
	client := definitions.ApiextensionsV1().CustomResourceDefinitions()
	stored := definition.Status.StoredVersions
	_, err := client.Create(t.Context(), definition, metav1.CreateOptions{})
	if apierrors.IsInvalid(err) {
		return nil, false
	}
	require.NoError(t, err)
	var live *apiextensionsv1.CustomResourceDefinition
	framework.Await(t, "the definition to be served", func() error {
		live, err = client.Get(t.Context(), definition.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(live.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
		}) {
			return errors.New("not yet")
		}
		if len(stored) > 0 && !slices.Equal(live.Status.StoredVersions, stored) {
			live.Status.StoredVersions = stored
			live, err = client.UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
		}
		return err
	})
	return live, true
}
