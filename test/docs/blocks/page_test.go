// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page parses a page, in which ' stands for the backticks of Markdown.
func page(t *testing.T, text string) Page {
	t.Helper()
	p, err := Parse("docs/page.md", strings.ReplaceAll(text, "'", "`"))
	require.NoError(t, err)
	return p
}

func TestBlocksOfAPage(t *testing.T) {
	p := page(t, `# A page
'''sh
one
  two
'''
## In a list
1. In a list:

   '''console fails: 1 3
   $ a
   $ b
   $ c
   '''
~~~yaml
'''sh
~~~
''''sh not-run: it takes too long
'''
''''
'''inline''' code
<!-- an ordinary comment -->
`)
	assert.Equal(t, []Block{
		{Page: "docs/page.md", Line: 3, Anchor: "a-page", Number: 1, Language: "sh", Text: "one\n  two\n"},
		{Page: "docs/page.md", Line: 10, Anchor: "in-a-list", Number: 1, Language: "console", Fails: []int{1, 3}, Text: "$ a\n$ b\n$ c\n"},
		{Page: "docs/page.md", Line: 15, Anchor: "in-a-list", Language: "yaml", Text: "```sh\n"},
		{Page: "docs/page.md", Line: 18, Anchor: "in-a-list", Number: 2, Language: "sh", NotRun: "it takes too long", Text: "```\n"},
	}, p.Blocks)
	assert.Equal(t, map[string]bool{"a-page": true, "in-a-list": true}, p.Anchors)
	assert.True(t, p.Runs())
	assert.False(t, p.Blocks[3].Runs())
	assert.Equal(t, "docs/page.md:3", p.Blocks[0].Where())
}

func TestWhatAPageMustNotSay(t *testing.T) {
	for name, text := range map[string]string{
		"docs/page.md:2: the block that begins here is not closed":                         "\n'''sh\na\n",
		"\"not-run:\" gives no reason":                                                     "'''sh not-run:\n'''\n",
		"\"not-run: too long\" gives no reason":                                            "'''sh not-run: too long\n'''\n",
		"nobody understands \"norun: it takes too long\"":                                  "'''sh norun: it takes too long\n'''\n",
		"nobody understands \"fails: 1\"":                                                  "'''sh fails: 1\na\n'''\n",
		"\"varies: so it is\" behind":                                                      "'''sh varies: so it is\na\n'''\n",
		"\"varies: much\" gives no reason":                                                 "'''console varies: much\n$ a\n'''\n",
		"are to be numbers from 1":                                                         "'''console fails: 0\n$ a\n'''\n",
		"it has 1 commands, and number 2 is said to fail":                                  "'''console fails: 2\n$ a\n'''\n",
		"docs/page.md:2: a console block begins with a command":                            "'''console\na\n'''\n",
		"its language is to be console":                                                    "'''sh\n$ a\n'''\n",
		"docs/page.md:1: there are commands behind":                                        "'''\na\n$ a\n'''\n",
		"docs/page.md:2: a page holds no set-up: move it to test/integration/docs/page.sh": "\n<!-- docs-test: run\n-->\n",
	} {
		_, err := Parse("docs/page.md", strings.ReplaceAll(text, "'", "`"))
		assert.ErrorContains(t, err, name)
	}
}

func TestCommandsOfAConsoleBlock(t *testing.T) {
	p := page(t, `'''console fails: 2
$ kubectl get \
    pods
A

B
$ diff a b
$ kubectl apply
Error from server: no
$ helm x
$ kubectl apply
The Domain "a" is invalid: no
'''
`)
	commands, err := p.Blocks[0].Console()
	require.NoError(t, err)
	assert.Equal(t, []Command{
		{Line: 2, Text: "kubectl get \\\n    pods", Output: []string{"A", "", "B"}},
		{Line: 7, Text: "diff a b", Fails: true},
		{Line: 8, Text: "kubectl apply", Output: []string{"Error from server: no"}, Fails: true},
		{Line: 10, Text: "helm x"},
		{Line: 11, Text: "kubectl apply", Output: []string{`The Domain "a" is invalid: no`}, Fails: true},
	}, commands)
}
