// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// writeFields shows a part of an object as lines of "field: value", in the order of the names.
func writeFields(out io.Writer, fields map[string]any, indent string, depth int) {
	if depth > depthLimit {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch value := fields[name].(type) {
		case nil:
		case map[string]any:
			_, _ = fmt.Fprintf(out, "%s%s:\n", indent, name)
			writeFields(out, value, indent+"  ", depth+1)
		default:
			_, _ = fmt.Fprintf(out, "%s%s: %s\n", indent, name, printable(fmt.Sprint(value)))
		}
	}
}

// printable removes control characters, because a user decides by this output.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// bodyOf returns the kind of the request body of a subresource.
func (k *kind) bodyOf(v verb) schema.GroupVersionKind {
	sub := k.subresources[string(v)]
	body := schema.GroupVersionKind{Group: k.version.Group, Version: k.version.Version, Kind: sub.Kind}
	if sub.Version != "" {
		body.Group, body.Version = sub.Group, sub.Version
	}
	return body
}
