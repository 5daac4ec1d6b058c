// SPDX-License-Identifier: Apache-2.0

package writeonly

import (
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
)

// ScrubApplied returns the annotations of an object with the field at path removed from the
// last-applied-configuration annotation, in which client-side apply stores the complete manifest.
// It does not modify the given map, and returns it if nothing has to be removed. An annotation
// that cannot be parsed is removed, because it could contain a password. The next apply then only
// has a larger diff.
func ScrubApplied(annotations map[string]string, path ...string) map[string]string {
	applied, ok := annotations[corev1.LastAppliedConfigAnnotation]
	if !ok {
		return annotations
	}
	cleaned, changed := without(applied, path)
	if !changed {
		return annotations
	}
	copied := maps.Clone(annotations)
	if cleaned == "" {
		delete(copied, corev1.LastAppliedConfigAnnotation)
	} else {
		copied[corev1.LastAppliedConfigAnnotation] = cleaned
	}
	return copied
}

// without removes the value at path from a JSON document, and reports whether the document
// changed. It returns "" for a document that is not a JSON object.
func without(document string, path []string) (string, bool) {
	var root map[string]any
	doubts, err := kjson.UnmarshalStrict([]byte(document), &root)
	if err != nil {
		return "", true
	}
	// Only the last value of a duplicate key was decoded. The text may contain more values.
	if !remove(root, path) && len(doubts) == 0 {
		return document, false
	}
	cleaned, err := json.Marshal(root)
	if err != nil {
		return "", true
	}
	return string(cleaned) + "\n", true
}

// remove deletes the value at path, and reports whether it existed.
func remove(parent map[string]any, path []string) bool {
	for _, key := range path[:len(path)-1] {
		next, ok := parent[key].(map[string]any)
		if !ok {
			return false
		}
		parent = next
	}
	leaf := path[len(path)-1]
	_, found := parent[leaf]
	delete(parent, leaf)
	return found
}
