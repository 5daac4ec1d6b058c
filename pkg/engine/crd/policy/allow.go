// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strconv"
	"strings"

	"roadstead.dev/roadstead/pkg/util/text"
)

// generationMark separates the digest from the generation in the value of AllowChangeAnnotation.
const generationMark = "@"

// AllowChange returns the value of AllowChangeAnnotation that allows the change with this digest of a stored
// CustomResourceDefinition with this metadata.generation. Each change of a spec raises the generation, so the value allows
// one change, once: a change that is reverted and repeated needs another value.
func AllowChange(digest string, generation int64) string {
	return digest + generationMark + strconv.FormatInt(generation, 10)
}

// Allows reports whether a value of AllowChangeAnnotation allows the change with this digest of a stored
// CustomResourceDefinition whose generation was between first and last, both included.
func Allows(value, digest string, first, last int64) bool {
	digits, ok := strings.CutPrefix(value, digest+generationMark)
	if !ok || digest == "" {
		return false
	}
	generation, err := strconv.ParseInt(digits, 10, 64)
	return err == nil && first <= generation && generation <= last && value == AllowChange(digest, generation)
}

// notAllowed returns a sentence about why a value of AllowChangeAnnotation does not allow a change, or "" without a value.
func notAllowed(value, digest string, generation int64) string {
	of, allowed, ok := strings.Cut(value, generationMark)
	shown := text.Line(value, 100)
	switch {
	case value == "":
		return ""
	case !ok:
		return fmt.Sprintf("annotation %s has no generation and allows nothing (%s)", AllowChangeAnnotation, shown)
	case of == digest:
		return fmt.Sprintf("annotation %s allows this change of generation %s only, but the stored CRD has generation %d",
			AllowChangeAnnotation, text.Line(allowed, 20), generation)
	}
	return fmt.Sprintf("annotation %s allows a different change (%s)", AllowChangeAnnotation, shown)
}
