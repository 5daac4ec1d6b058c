// SPDX-License-Identifier: Apache-2.0

package writeonly

import (
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
)

// ScrubApplied returns annotations of an object without the field at path in the one in which client-side apply keeps the
// whole manifest. The given map is not changed; it is returned when there is nothing to do. An annotation that cannot be
// read is dropped: better a larger diff than a password in plain sight.
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

// without removes the value at path from a JSON document. It returns "" for a document that is not a JSON object.
func without(document string, path []string) (string, bool) {
	var root map[string]any
	doubts, err := kjson.UnmarshalStrict([]byte(document), &root)
	if err != nil {
		return "", true
	}
	// Of a key that is there twice only the last value was read: the text itself may hold more.
	if !remove(root, path) && len(doubts) == 0 {
		return document, false
	}
	cleaned, err := json.Marshal(root)
	if err != nil {
		return "", true
	}
	return string(cleaned) + "\n", true
}

// remove deletes the value at path, and tells whether there was one.
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
