// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	testReference = regexp.MustCompile("`([\\w./-]+_test\\.go): ((?:Test|Fuzz)\\w+)`")
	section2      = regexp.MustCompile(`(?m)^## `)
)

// TestEveryThreatIsAnsweredByATestThatExists checks that a section about an attack names the tests
// of its mitigation.
func TestEveryThreatIsAnsweredByATestThatExists(t *testing.T) {
	sections := section2.Split(read(t, filepath.Join(root, "docs", "security.md")), -1)
	threats := 0
	for _, text := range sections {
		title, _, _ := strings.Cut(text, "\n")
		if !strings.Contains(text, "*Attack.*") {
			continue
		}
		threats++
		assert.Contains(t, text, "*Answer.*", title)
		assert.Regexp(t, testReference, text, "%s: no test", title)
	}
	require.Greater(t, threats, 10, "the page was read")
}

// TestEveryTestThatIsNamedExists checks the tests that are named on any page.
func TestEveryTestThatIsNamedExists(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		for _, reference := range testReference.FindAllStringSubmatch(read(t, page), -1) {
			found++
			source, err := os.ReadFile(filepath.Join(root, reference[1]))
			if assert.NoErrorf(t, err, "%s names %s", page, reference[1]) {
				assert.Containsf(t, string(source), "\nfunc "+reference[2]+"(", "%s names %s in %s", page, reference[2], reference[1])
			}
		}
	}
	require.Greater(t, found, 40, "the references were found")
}
