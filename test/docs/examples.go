// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"regexp"
	"strings"
)

var (
	yamlBlock = regexp.MustCompile("(?ms)^([ \t]*)```yaml\n(.*?)\n[ \t]*```")
	ourGroup  = regexp.MustCompile(`(?m)^\s*apiVersion: [a-z]+\.roadstead\.dev/`)
)

// Examples returns the YAML blocks in a Markdown page that contain objects of Roadstead's API
// groups, in the order of the page and without the indentation of blocks in lists.
func Examples(page string) []string {
	var found []string
	for _, block := range yamlBlock.FindAllStringSubmatch(page, -1) {
		if !ourGroup.MatchString(block[2]) {
			continue
		}
		lines := strings.Split(block[2], "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], block[1])
		}
		found = append(found, strings.Join(lines, "\n")+"\n")
	}
	return found
}
