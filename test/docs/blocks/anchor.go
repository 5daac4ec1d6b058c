// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	heading  = regexp.MustCompile(`^#{1,6}\s+(.+)$`)
	explicit = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	noSlug   = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
)

// addHeading adds the anchor of a line that is a heading and returns it, derived as on code hosts:
// a second heading of the same words gets the suffix -1, the next one -2. For any other line it
// returns the anchor of the heading above, and adds only explicit anchors.
func (p *Page) addHeading(line, above string) string {
	for _, match := range explicit.FindAllStringSubmatch(line, -1) {
		p.Anchors[match[1]] = true
	}
	match := heading.FindStringSubmatch(line)
	if match == nil {
		return above
	}
	slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(match[1])), ""), " ", "-")
	anchor := slug
	for i := 1; p.Anchors[anchor]; i++ {
		anchor = fmt.Sprintf("%s-%d", slug, i)
	}
	p.Anchors[anchor] = true
	return anchor
}
