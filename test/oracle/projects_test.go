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

// project is a public project with CRDs in its Go module.
type project struct {
	module string
	// folders are the directories below the module that contain the CRDs.
	folders []string
	// webhook reports that the project's kustomization adds a conversion webhook.
	webhook bool
	// first is the version before the first upgrade.
	first    string
	upgrades []upgrade
}

// upgrade is an upgrade from the previous version. Its breaking changes were verified by hand,
// finding by finding.
type upgrade struct {
	to string
	// breaks are the rules of all breaking findings.
	breaks []string
}

var projects = []project{
	{module: "github.com/cert-manager/cert-manager", folders: []string{"deploy/crds"}, first: "v1.11.0", upgrades: []upgrade{{to: "v1.13.0"},
		{to: "v1.15.0"}, {to: "v1.18.0"}}},
	{module: "sigs.k8s.io/gateway-api", folders: []string{"config/crd/standard"}, first: "v0.8.0", upgrades: []upgrade{
		// The rules of this version have other words but the same or a weaker meaning.
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

// definitions returns the CRDs of a version, by name.
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
				// Template expressions appear only in quoted labels and in comments.
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

// amend changes the CRD of a file to the one that the project's users apply.
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

// downloaded returns the directory of a module, which the go command downloads if needed.
func downloaded(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	require.NoError(t, err, "%s", out)
	var answer struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &answer))
	return answer.Dir
}
