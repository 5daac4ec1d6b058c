// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// isComment matches the comment lines of a manifest.
var isComment = regexp.MustCompile(`(?m)^ *#.*\n`)

// example returns a manifest of a kind: the one in the directory of examples, or else the object
// that the tests of the store use, without the fields that users do not set. The path is that of
// the example, or "" for a kind that users do not create.
func example(root string, kind schema.GroupVersionKind) (manifest, path string, err error) {
	group, _, _ := strings.Cut(kind.Group, ".")
	files, err := filepath.Glob(filepath.Join(root, "artifacts", "examples", group, "*.yaml"))
	if err != nil {
		return "", "", err
	}
	// The file with the name of the kind has precedence.
	own := strings.ToLower(kind.Kind) + ".yaml"
	slices.SortStableFunc(files, func(a, b string) int { return precedence(a, own) - precedence(b, own) })
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", "", err
		}
		for _, document := range strings.Split(string(content), "\n---\n") {
			if isOf(document, kind) {
				relative, err := filepath.Rel(root, file)
				return strings.TrimSpace(isComment.ReplaceAllString(document+"\n", "")) + "\n", filepath.ToSlash(relative), err
			}
		}
	}
	stored, err := os.ReadFile(filepath.Join(root, "testdata", "store", "objects", own))
	if err != nil {
		return "", "", fmt.Errorf("%s has no example: add one to artifacts/examples/%s: %w", kind.Kind, group, err)
	}
	manifest, err = asTyped(stored)
	return manifest, "", err
}

func precedence(file, own string) int {
	if filepath.Base(file) == own {
		return 0
	}
	return 1
}

func isOf(document string, kind schema.GroupVersionKind) bool {
	return regexp.MustCompile(`(?m)^apiVersion: `+regexp.QuoteMeta(kind.GroupVersion().String())+`$`).MatchString(document) &&
		regexp.MustCompile(`(?m)^kind: `+kind.Kind+`$`).MatchString(document)
}

// asTyped removes the fields of a stored object that a user would not have set.
func asTyped(stored []byte) (string, error) {
	var object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Annotations map[string]string `json:"annotations,omitempty"`
			Name        string            `json:"name"`
			Namespace   string            `json:"namespace,omitempty"`
		} `json:"metadata"`
		Spec any `json:"spec"`
	}
	if err := yaml.Unmarshal(stored, &object); err != nil {
		return "", err
	}
	text, err := yaml.Marshal(object)
	return string(text), err
}
