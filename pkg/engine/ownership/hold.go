// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

const (
	// HoldFloor is the number of affected names that never cause a hold.
	HoldFloor = 3
	// MaxReleased is the maximum number of names that a release covers. More names are released in
	// several steps.
	MaxReleased = 1000
)

// Judge returns the affected names that are held back, sorted, and the token that releases them.
// Names are held back if more than HoldFloor and more than share percent of all (of) are affected
// and not released. The token is "" if nothing is held. It depends on the names, so that a release
// does not cover names that its author has not seen.
func Judge(affected []string, of, share int, released []string) (held []string, token string) {
	held = Unreleased(affected, released)
	if !exceeds(len(held), of, share) {
		return nil, ""
	}
	return held, Token(held)
}

// exceeds reports whether n of all (of) are more than HoldFloor and more than share percent.
func exceeds(n, of, share int) bool { return n > HoldFloor && n*100 > share*of }

// Unreleased returns the affected names that are not released, sorted, each once.
func Unreleased(affected, released []string) []string {
	var rest []string
	for _, name := range affected {
		if !slices.Contains(released, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return slices.Compact(rest)
}

// Token returns the token that releases the held names, which must be sorted. It is "" for no names.
func Token(held []string) string {
	if len(held) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(held, "\n") + "\n"))
	return fmt.Sprintf("%d-%s", len(held), hex.EncodeToString(sum[:])[:6])
}

// Release returns the released names after a release of the held ones. Earlier releases are kept
// only while the names are affected, so that no name is released permanently. At most MaxReleased
// names are returned.
func Release(released, affected, held []string) []string {
	var next []string
	for _, name := range released {
		if slices.Contains(affected, name) && !slices.Contains(next, name) {
			next = append(next, name)
		}
	}
	for _, name := range held {
		if !slices.Contains(next, name) {
			next = append(next, name)
		}
	}
	next = next[:min(len(next), MaxReleased)]
	slices.Sort(next)
	return next
}
