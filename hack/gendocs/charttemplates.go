// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// templatesFolder contains the templates of the Helm chart, and deployFolder the manifests from
// which some of them are generated.
var (
	templatesFolder = filepath.Join("artifacts", "chart", "roadstead", "templates")
	deployFolder    = filepath.Join("artifacts", "deploy")
)

// chartTemplate is a template with the unchanged objects of a kustomize directory, mainly RBAC,
// which should not be maintained twice. Templates with conditions inside are written by hand, and
// compared by test/chart.
type chartTemplate struct {
	Source, Target string
	// Name is the name label of objects without one.
	Name string
	// Condition is the condition under which the objects are rendered, "" for always.
	Condition string
	// Hook is the template of the annotations, with its argument, of objects that are hooks.
	Hook string
}

var chartTemplates = []chartTemplate{
	{Source: "base/apiserver-rbac.yaml", Target: "apiserver/rbac.yaml", Name: "roadstead-apiserver"},
	{Source: "base/apiserver-authentication.yaml", Target: "apiserver/authentication.yaml", Name: "roadstead-apiserver"},
	{Source: "base/flowschema.yaml", Target: "apiserver/flowschema.yaml", Name: "roadstead-apiserver"},
	{Source: "base/largebodies.yaml", Target: "apiserver/largebodies.yaml", Name: "roadstead-apiserver"},
	{Source: "base/service.yaml", Target: "apiserver/service.yaml", Name: "roadstead-apiserver"},
	{Source: "base/disruption.yaml", Target: "controller/disruption.yaml", Name: "roadstead-controller",
		Condition: ".Values.podDisruptionBudget.enabled"},
	{Source: "base/user-roles.yaml", Target: "user-roles.yaml", Name: "roadstead", Condition: ".Values.userRoles.create"},
	{Source: "guard/rbac.yaml", Target: "crd-guard/rbac.yaml", Name: "roadstead-apiserver", Condition: ".Values.crdGuard.enabled"},
	{Source: "redis/service.yaml", Target: "redis/service.yaml", Name: "roadstead-redis", Condition: `include "roadstead.redis" .`},
	{Source: "redis/networkpolicy.yaml", Target: "redis/networkpolicy.yaml", Name: "roadstead-redis",
		Condition: `include "roadstead.redis" .`},
	{Source: "monitoring/access.yaml", Target: "monitoring/access.yaml", Name: "roadstead",
		Condition: ".Values.monitoring.serviceMonitor.enabled"},
	{Source: "monitoring/service.yaml", Target: "monitoring/service.yaml", Name: "roadstead-controller",
		Condition: ".Values.monitoring.serviceMonitor.enabled"},
	{
		Source: "uninstall/rbac.yaml", Target: "uninstall/rbac.yaml", Name: "roadstead-prepare-uninstall", Condition: ".Values.uninstall.hook",
		Hook: `"roadstead.uninstallHook" "-10"`,
	},
}

const (
	installedNamespace = "roadstead-system"
	nameLabel          = "    app.kubernetes.io/name: "
)

// renderTemplates returns the templates of the chart that are generated from manifests, by path
// below the root.
func renderTemplates(root string) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, one := range chartTemplates {
		manifest, err := os.ReadFile(filepath.Join(root, deployFolder, one.Source))
		if err != nil {
			return nil, err
		}
		text, err := one.from(string(manifest))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Source, err)
		}
		all[filepath.Join(templatesFolder, one.Target)] = []byte(text)
	}
	policy, err := auditPolicy(filepath.Join(root, deployFolder, "base", "apiserver-audit.yaml"))
	all[filepath.Join(filepath.Dir(templatesFolder), "files", "audit-policy.yaml")] = policy
	return all, err
}

// auditPolicy returns the policy in a ConfigMap, with its comments. Values can replace it.
func auditPolicy(file string) ([]byte, error) {
	manifest, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, indented, found := strings.Cut(string(manifest), "\n  policy.yaml: |\n    ")
	if !found {
		return nil, fmt.Errorf("%s has no policy.yaml", file)
	}
	return []byte(strings.ReplaceAll(indented, "\n    ", "\n")), nil
}

// from returns the template, with the comments of the manifest.
func (c chartTemplate) from(manifest string) (string, error) {
	if strings.Contains(manifest, "{{") {
		return "", fmt.Errorf("it has {{ in it, which Helm would take for a template")
	}
	var documents []string
	for document := range strings.SplitSeq(strings.TrimRight(manifest, "\n"), "\n---\n") {
		labelled, err := c.labelled(document)
		if err != nil {
			return "", err
		}
		documents = append(documents, strings.ReplaceAll(labelled, installedNamespace, "{{ .Release.Namespace }}"))
	}
	text := strings.Join(documents, "\n---\n") + "\n"
	if c.Condition != "" {
		text = fmt.Sprintf("{{- if %s }}\n%s{{- end }}\n", c.Condition, text)
	}
	return fmt.Sprintf("{{- /* Written by go run ./hack/gendocs from artifacts/deploy/%s. */}}\n", c.Source) + text, nil
}

// labelled returns a manifest of one object whose metadata end with the labels of the chart, and
// with further labels of the template.
func (c chartTemplate) labelled(document string) (string, error) {
	before, rest, found := strings.Cut(document, "\nmetadata:\n")
	if !found {
		return "", fmt.Errorf("there is an object without metadata")
	}
	var own, labels, after []string
	name, inLabels := c.Name, false
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "  ") {
			after = lines[i:]
			break
		}
		switch {
		case line == "  labels:":
			inLabels = true
		case inLabels && strings.HasPrefix(line, nameLabel):
			name = strings.TrimPrefix(line, nameLabel)
		case inLabels && strings.HasPrefix(line, "    "):
			labels = append(labels, line)
		case c.Hook != "" && line == "  annotations:":
			return "", fmt.Errorf("a hook has annotations of its own")
		default:
			inLabels = false
			own = append(own, line)
		}
	}
	all := append([]string{before, "metadata:"}, own...)
	all = append(all, "  labels:", fmt.Sprintf(`    {{- include "roadstead.labels" (list $ %q) | nindent 4 }}`, name))
	all = append(all, labels...)
	if c.Hook != "" {
		all = append(all, "  annotations:", fmt.Sprintf("    {{- include %s | nindent 4 }}", c.Hook))
	}
	return strings.Join(append(all, after...), "\n"), nil
}
