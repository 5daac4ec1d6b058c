// SPDX-License-Identifier: Apache-2.0

package writeonly

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// FuzzScrubApplied adds random text before and after a password in a document, and verifies that
// the password is removed at every place where a parser of the document could find it.
func FuzzScrubApplied(f *testing.F) {
	f.Add(`{"kind":"User","spec":{`, `"name":"x"},"spec":{"a":1}}`)
	f.Add(`{"spec":null,"spec":{`, `"a":[1]}} `)
	f.Add(`{"spec":{"a":{},`, `"password":null}}`)
	f.Add(`{"spec":"{`, `}"}`)
	f.Add(`{"SPEC":{`, `"":0}}`)
	const marker = "MARKED-PASSWORD"
	f.Fuzz(func(t *testing.T, before, after string) {
		document := before + `"password":"` + marker + `",` + after
		cleaned := ScrubApplied(map[string]string{corev1.LastAppliedConfigAnnotation: document}, "spec",
			"password")[corev1.LastAppliedConfigAnnotation]
		if cleaned == "" {
			return
		}
		if !json.Valid([]byte(cleaned)) {
			t.Fatalf("%q became %q, which is no JSON", document, cleaned)
		}
		again := ScrubApplied(map[string]string{corev1.LastAppliedConfigAnnotation: cleaned}, "spec", "password")
		if again[corev1.LastAppliedConfigAnnotation] != cleaned {
			t.Fatalf("%q is not clean: it becomes %q", cleaned, again[corev1.LastAppliedConfigAnnotation])
		}
		for _, spec := range specs(t, cleaned) {
			if strings.Contains(string(spec["password"]), marker) {
				t.Fatalf("%q became %q", document, cleaned)
			}
		}
	})
}

// specs returns every spec of a document, including duplicates.
func specs(t *testing.T, document string) []map[string]json.RawMessage {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(document))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		t.Fatalf("%q is no object", document)
	}
	var found []map[string]json.RawMessage
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		var spec map[string]json.RawMessage
		if key == "spec" && json.Unmarshal(value, &spec) == nil {
			found = append(found, spec)
		}
	}
	return found
}
