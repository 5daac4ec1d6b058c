// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/docs/blocks"
)

// notCommands are the languages of blocks that contain no commands. A block without a language
// shows output.
var notCommands = []string{"", "diff", "markdown", "mermaid", "yaml"}

// TestEveryCommandBlockIsRun checks that every block is run or states a reason why it is not.
// test/integration/docs runs all blocks without such a reason.
func TestEveryCommandBlockIsRun(t *testing.T) {
	pages, err := blocks.Pages(root)
	require.NoError(t, err)
	run, notRun := 0, 0
	for _, page := range pages {
		for _, b := range page.Blocks {
			switch {
			case b.Hidden:
			case b.Runs():
				run++
			case b.Commands():
				notRun++
				t.Logf("%s is not run: %s", b.Where(), b.NotRun)
			case b.NotRun != "":
				// The block shows the output of another program, including commands.
				notRun++
				t.Logf("%s is not run: %s", b.Where(), b.NotRun)
			default:
				assert.Truef(t, slices.Contains(notCommands, b.Language),
					"%s: nothing runs blocks of the language %q: write %s or %s for commands, and none for output",
					b.Where(), b.Language, blocks.Script, blocks.Console)
			}
		}
	}
	t.Logf("%d blocks are run, %d are not", run, notRun)
	require.Greater(t, run, notRun, "most blocks can run")
}
