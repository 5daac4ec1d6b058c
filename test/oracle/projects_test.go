// SPDX-License-Identifier: Apache-2.0

//go:build slow

package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// project is a public one that keeps its definitions in its Go module.
type project struct {
	module string
	// folders below the module hold the definitions.
	folders []string
	// webhook says that the project's kustomization patches a conversion webhook in.
	webhook bool
	// first is the version to begin with.
	first    string
	upgrades []upgrade
}

// upgrade is one from the version before. What it breaks was judged by hand, finding by finding.
type upgrade struct {
	to string
	// breaks are the rules of all findings that break.
	breaks []string
}

var projects = []project{
	{module: "github.com/cert-manager/cert-manager", folders: []string{"deploy/crds"}, first: "v1.11.0", upgrades: []upgrade{{to: "v1.13.0"},
		{to: "v1.15.0"}, {to: "v1.18.0"}}},
	{module: "sigs.k8s.io/gateway-api", folders: []string{"config/crd/standard"}, first: "v0.8.0", upgrades: []upgrade{
		// Rules that say the same as before, or less, in other words.
		{to: "v1.0.0"},
		{to: "v1.2.0", breaks: []string{"CRD-A01", "CRD-E01"}},
		{to: "v1.3.0"},
	}},
	{module: "sigs.k8s.io/gateway-api", folders: []string{"config/crd/experimental"}, first: "v0.8.0", upgrades: []upgrade{
		{to: "v1.0.0", breaks: []string{"CRD-A01"}},
		{to: "v1.2.0", breaks: []string{"CRD-201", "CRD-402", "CRD-418", "CRD-501", "CRD-904", "CRD-A01", "CRD-E01", "CRD-E03", "CRD-E17"}},
		{to: "v1.3.0", breaks: []string{"CRD-A01"}},
	}},
	{module: "github.com/prometheus-operator/prometheus-operator", folders: []string{"example/prometheus-operator-crd"},
		first: "v0.68.0", upgrades: []upgrade{{
			to: "v0.76.0", breaks: []string{"CRD-101", "CRD-111", "CRD-405", "CRD-407", "CRD-408", "CRD-501", "CRD-901", "CRD-903"},
		}}},
	{
		module: "sigs.k8s.io/cluster-api", webhook: true, first: "v1.5.0",
		folders: []string{"config/crd/bases", "controlplane/kubeadm/config/crd/bases", "bootstrap/kubeadm/config/crd/bases",
			"cmd/clusterctl/config/crd/bases"},
		upgrades: []upgrade{{to: "v1.7.0", breaks: []string{"CRD-E04"}}, {to: "v1.9.0", breaks: []string{"CRD-903"}}},
	},
	{module: "github.com/external-secrets/external-secrets", folders: []string{"deploy/crds"}, first: "v0.9.0",
		upgrades: []upgrade{{to: "v0.10.0", breaks: []string{"CRD-303"}}}},
	{module: "github.com/crossplane/crossplane", folders: []string{"cluster/crds"}, first: "v1.14.0", upgrades: []upgrade{
		{to: "v1.17.0", breaks: []string{"CRD-101", "CRD-108", "CRD-401", "CRD-903", "CRD-904", "CRD-A03", "CRD-A07"}},
	}},
	{module: "sigs.k8s.io/karpenter", folders: []string{"pkg/apis/crds"}, first: "v1.0.0",
		upgrades: []upgrade{{to: "v1.2.0", breaks: []string{"CRD-A01", "CRD-A07", "CRD-E01"}}}},
	{module: "github.com/kyverno/kyverno", folders: []string{"config/crds"}, first: "v1.10.0", upgrades: []upgrade{
		{to: "v1.12.0", breaks: []string{"CRD-108", "CRD-114", "CRD-E04", "CRD-E07"}},
	}},
}

// definitions are those of a version, by name.
func (p project) definitions(t *testing.T, version string) map[string]*definition {
	t.Helper()
	root := downloaded(t, p.module+"@"+version)
	found := map[string]*definition{}
	for _, folder := range p.folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, document := range bytes.Split(raw, []byte("\n---")) {
				one := &definition{}
				// What is templated in them stands in quoted labels and in comments.
				if err := yaml.Unmarshal(document, one); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				if one.Kind == "CustomResourceDefinition" {
					p.amend(one)
					found[one.Name] = one
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.NotEmpty(t, found, "%s@%s has no definitions in %s", p.module, version, p.folders)
	return found
}

// amend makes of a file what the project's users apply.
func (p project) amend(one *definition) {
	one.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	if p.webhook {
		one.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
			Strategy: apiextensionsv1.WebhookConverter,
			Webhook: &apiextensionsv1.WebhookConversion{
				ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Namespace: "system",
					Name: "webhook-service"}},
				ConversionReviewVersions: []string{"v1"},
			},
		}
	}
}

// downloaded is the folder of a module, which the go command fetches where it is not there yet.
func downloaded(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	require.NoError(t, err, "%s", out)
	var answer struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &answer))
	return answer.Dir
}
