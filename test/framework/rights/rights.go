// SPDX-License-Identifier: Apache-2.0

// Package rights reads the RBAC rules of the shipped manifests, for the tests that every granted
// right is reviewed and used.
package rights

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Right is one verb on one resource that a Role or ClusterRole grants.
type Right struct {
	// Role is the name of the Role or ClusterRole.
	Role string
	// Resource is "<resource>[/<subresource>][.<group>]", in the format of kubectl auth can-i.
	Resource string
	// Verb is one verb.
	Verb string
}

// String returns, for example, "roadstead-controller: get namespaces".
func (r Right) String() string { return r.Role + ": " + r.Verb + " " + r.Resource }

// Load returns every right that Roles and ClusterRoles in the YAML files of a directory grant,
// without duplicates.
func Load(folder string) ([]Right, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []Right
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			var role rbacv1.ClusterRole // a Role has the same fields
			if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if role.Kind == "Role" || role.Kind == "ClusterRole" {
				all = append(all, of(role)...)
			}
		}
	}
	return unique(all), nil
}

func of(role rbacv1.ClusterRole) []Right {
	var all []Right
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, Right{Role: role.Name, Resource: Resource(group, resource, ""), Verb: verb})
				}
			}
		}
		for _, url := range rule.NonResourceURLs {
			for _, verb := range rule.Verbs {
				all = append(all, Right{Role: role.Name, Resource: url, Verb: verb})
			}
		}
	}
	return all
}

// Resource returns a resource in the format of Right.Resource. group and subresource may be empty.
func Resource(group, resource, subresource string) string {
	if subresource != "" {
		resource += "/" + subresource
	}
	return strings.TrimSuffix(resource+"."+group, ".")
}

func unique(all []Right) []Right {
	seen := map[Right]bool{}
	var kept []Right
	for _, right := range all {
		if !seen[right] {
			kept = append(kept, right)
		}
		seen[right] = true
	}
	return kept
}
