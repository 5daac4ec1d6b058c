// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twice has two headings with the same text. Its first block is not run but counts; the one without
// a language does not count.
const twice = `# Install
'''sh not-run: it takes too long
one
'''
'''
output
'''
'''sh
two
'''
# Install
'''console
$ three
'''
`

func TestSetUpFile(t *testing.T) {
	for name, file := range map[string]string{
		"docs/quickstart.md":       "quickstart.sh",
		"docs/runbooks/Down.md":    "runbooks-Down.sh",
		"docs/runbooks/README.md":  "runbooks.sh",
		"docs/README.md":           "docs.sh",
		"README.md":                "README.sh",
		"test/fakes/git/README.md": "test-fakes-git.sh",
	} {
		assert.Equal(t, "test/integration/docs/"+file, setUpFile(name))
	}
}

func TestAddSetUp(t *testing.T) {
	for name, test := range map[string]struct{ text, want, after string }{
		"no sections":         {text: "# SPDX\n#\n# Set-up.\n", want: "one - two three"},
		"before a block":      {text: "# before #install 2\na\n", want: "one - a two three"},
		"with a reason":       {text: "# before #install 1: two needs it\na\n", want: "a one - two three"},
		"second heading":      {text: "# before #install-1 1\na\n", want: "one - two a three"},
		"after a block":       {text: "# after #install-1 1: of no use any more\na\n", want: "one - two three a"},
		"order of the page":   {text: "# before #install-1 1\na\n# after #install 2\nb\n", want: "one - two b a three"},
		"same place":          {text: "# after #install 2\na\n# after #install 2\nb\n", want: "one - two a b three"},
		"end of the page":     {text: "# after\na\n\n# after: cleanup\nb\n", want: "one - two three", after: "a\nb\n"},
		"comments and blanks": {text: "\n# after\n# why\na\n\n  b\n\n", want: "one - two three", after: "# why\na\n\n  b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(t, twice)
			require.NoError(t, p.addSetUp("page.sh", test.text))
			var words []string
			for _, b := range p.Blocks {
				if b.Commands() {
					words = append(words, strings.Trim(b.Text, "$ \n"))
				} else {
					words = append(words, "-")
				}
			}
			assert.Equal(t, test.want, strings.Join(words, " "))
			after := ""
			for _, b := range p.After {
				after += b.Text
			}
			assert.Equal(t, test.after, after)
		})
	}
}

func TestAddSetUp_Lines(t *testing.T) {
	p := page(t, twice)
	require.NoError(t, p.addSetUp("page.sh", "# Set-up.\n\n# before #install 1\na\nb\n\n# after\nc\n"))
	assert.Equal(t, Block{Page: "page.sh", Line: 4, Language: Script, Hidden: true, Text: "a\nb\n"}, p.Blocks[0])
	assert.Equal(t, []Block{{Page: "page.sh", Line: 8, Language: Script, Hidden: true, Text: "c\n"}}, p.After)
}

func TestAddSetUp_Errors(t *testing.T) {
	for problem, text := range map[string]string{
		"page.sh:3: docs/page.md has no heading #remove":                          "# after\na\n# before #remove 1\na\n",
		"page.sh:1: docs/page.md has no command block 3 below #install, only 2":   "# before #install 3\na\n",
		"page.sh:1: docs/page.md has no command block 2 below #install-1, only 1": "# after #install-1 2\na\n",
		`page.sh:1: "# before" is not the header of a section`:                    "# before\na\n",
		`page.sh:1: "# before: a reason" is not the header`:                       "# before: a reason\na\n",
		`page.sh:1: "# before #install" is not the header`:                        "# before #install\na\n",
		`page.sh:1: "# before #install 0" is not the header`:                      "# before #install 0\na\n",
		`page.sh:1: "# before #install 1 a reason" is not the header`:             "# before #install 1 a reason\na\n",
		`page.sh:3: "# after a while" is not the header`:                          "# after\na\n# after a while\nb\n",
		`value out of range`:                     "# before #install 99999999999999999999\na\n",
		`page.sh:2: "a" belongs to no section`:   "# Set-up.\na\n# after\nb\n",
		`page.sh:1: the section has no commands`: "# before #install 1\n\n# after\na\n",
	} {
		p := page(t, twice)
		assert.ErrorContains(t, p.addSetUp("page.sh", text), problem)
	}
}
