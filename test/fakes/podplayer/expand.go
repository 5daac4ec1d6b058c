// SPDX-License-Identifier: Apache-2.0

package podplayer

import "strings"

// expand replaces $(NAME) by the value of NAME as a kubelet does. An unknown name is not replaced,
// $$ is one dollar sign (so $$(NAME) becomes $(NAME)), and a dollar sign before any other character
// is not special.
func expand(text string, value func(name string) (string, bool)) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		end := strings.IndexByte(rest, ')')
		switch {
		case strings.HasPrefix(rest, "$$"):
			out.WriteByte('$')
			i++
		case strings.HasPrefix(rest, "$(") && end >= 0:
			if v, known := value(rest[2:end]); known {
				out.WriteString(v)
			} else {
				out.WriteString(rest[:end+1])
			}
			i += end
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}
