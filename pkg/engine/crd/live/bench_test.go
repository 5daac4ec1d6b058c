// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// wide returns the properties of a spec with the given number of parts, with rules and map lists.
func wide(parts int) string {
	var text strings.Builder
	text.WriteString("spec: {type: object, properties: {")
	for i := range parts {
		fmt.Fprintf(&text, "p%d: {type: object, x-kubernetes-validations: [{rule: 'has(self.name) || has(self.size)'}], properties: "+
			"{name: {type: string, maxLength: 63, default: x}, size: {type: integer, minimum: 0}, l: {type: array, maxItems: 9, "+
			"x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: "+
			"string, maxLength: 9}, v: {type: string}}}}}}, ", i)
	}
	text.WriteString("}}")
	return text.String()
}

func BenchmarkReplay(b *testing.B) {
	old, new := definitionOf(b, wide(50)), definitionOf(b, strings.Replace(wide(50), "maxLength: 63", "maxLength: 3", 1))
	var items []unstructured.Unstructured
	for i := range 500 {
		items = append(items, widget(b, fmt.Sprintf("w%d", i), "spec: {p0: {name: long, l: [{k: a, v: x}, {k: b}]}, p7: {size: 3}, p9: {}}"))
	}
	b.Run("schemas", func(b *testing.B) {
		for b.Loop() {
			_, err := newReplayer(old, new, "v1")
			require.NoError(b, err)
		}
	})
	replayer, err := newReplayer(old, new, "v1")
	require.NoError(b, err)
	b.Run("500 objects", func(b *testing.B) {
		for b.Loop() {
			for i := range items {
				if hits, err := replayer.replay(b.Context(), &items[i]); err != nil || len(hits) == 0 {
					b.Fatal(err)
				}
			}
		}
	})
}
