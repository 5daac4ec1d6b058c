// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestReplay_Unnamed replays objects whose names, fields and values contain a word that must not be in any finding.
func TestReplay_Unnamed(t *testing.T) {
	const word = "confidential"
	object := widget(t, word, "spec: {f: confidential, m: {confidential: x}, n: null, free: {confidential: y}}")
	// schema returns the schema that the object is valid under, with some fields replaced.
	schema := func(replaced map[string]string) string {
		fields := map[string]string{
			"f": "{type: string}", "m": "{type: object, additionalProperties: {type: string}}", "n": "{type: string, nullable: true}",
			"free": "{type: object, x-kubernetes-preserve-unknown-fields: true}",
		}
		maps.Copy(fields, replaced)
		rules := fields["rules"]
		delete(fields, "rules")
		var properties []string
		for name, of := range fields {
			properties = append(properties, name+": "+of)
		}
		return "spec: {type: object, " + rules + "properties: {" + strings.Join(properties, ", ") + "}}"
	}
	failing := func(context.Context) error { return errors.New("conversion of " + word + " failed") }
	bound := map[string]string{"f": "{type: string, maxLength: 3}"}
	for name, tc := range map[string]struct {
		replaced map[string]string
		lister   *pages
		counts   bool
	}{
		"invalid values":  {bound, objects(object), true},
		"invalid in maps": {map[string]string{"m": "{type: object, additionalProperties: {type: string, maxLength: 0}}"}, objects(object), true},
		"rules": {map[string]string{
			"rules": `x-kubernetes-validations: [{rule: 'self.f == "a"', messageExpression: '"not " + self.f'}], `,
		}, objects(object), true},
		"pruned fields":   {map[string]string{"m": "{type: object}", "free": "{type: object}"}, objects(object), true},
		"dropped nulls":   {map[string]string{"n": "{type: string}"}, objects(object), true},
		"a failing list":  {nil, &pages{then: failing}, false},
		"another failure": {bound, &pages{items: []Page{{Items: []unstructured.Unstructured{object}, Remaining: 1}}, then: failing}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, unnamed := range []bool{false, true} {
				result, err := Replay(t.Context(), definitionOf(t, schema(nil)), definitionOf(t, schema(tc.replaced)), tc.lister,
					Options{Unnamed: unnamed})
				require.NoError(t, err)
				require.NotEmpty(t, result.Findings)
				text, err := json.Marshal(result.Findings)
				require.NoError(t, err)
				if unnamed {
					assert.NotContains(t, string(text), word)
				} else {
					assert.Contains(t, string(text), word)
				}
				assert.Equal(t, tc.counts, result.Findings[0].LiveCount == 1)
			}
		})
	}
}

func TestIncomplete_Unnamed(t *testing.T) {
	r := run{ctx: t.Context(), failed: 1, reason: "team/confidential: no schema"}
	assert.Contains(t, r.incomplete(t.Context(), nil, Options{}, schema.GroupVersionResource{}), "confidential")
	unnamed := r.incomplete(t.Context(), nil, Options{Unnamed: true}, schema.GroupVersionResource{})
	assert.Equal(t, "1 objects could not be checked; 1 exist", unnamed)
}
