// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"errors"
	"fmt"
	"strings"
)

const (
	// comment begins a line with a script that readers do not see.
	comment    = "<!-- docs-test:"
	commentEnd = "-->"
)

// commented adds the hidden script whose comment begins at a line, and gives the line of its end.
func (p *Page) commented(lines []string, at int) (end int, err error) {
	verb := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[at]), comment))
	b := Block{Page: p.Name, Line: at + 2, Language: Script, Hidden: true}
	f := fence{indent: lines[at][:strings.Index(lines[at], comment)]}
	for end = at + 1; end < len(lines); end++ {
		if strings.TrimSpace(lines[end]) != commentEnd {
			continue
		}
		b.Text = f.content(lines[at+1 : end])
		switch verb {
		case "run":
			p.Blocks = append(p.Blocks, b)
		case "after":
			p.After = append(p.After, b)
		default:
			return 0, fmt.Errorf("nobody understands %q: write run or after, and the script on lines of its own", verb)
		}
		return end, nil
	}
	return 0, errors.New("the comment that begins here is not closed by a line of its own")
}
