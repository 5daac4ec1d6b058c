// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatFits(t *testing.T) {
	for name, c := range map[string]struct{ shown, printed string }{
		"nothing":          {"", "\n"},
		"the same":         {"a\nb", "a\nb\n"},
		"columns":          {"NAME  AGE\na     2s", "NAME               AGE\na                  1m3s\n"},
		"an empty line":    {"a\n\nb", "a\nb"},
		"left out lines":   {"a\n…\nd", "a\nb\nc\nd"},
		"no left out line": {"…\na\n…", "a"},
		"within a line":    {"password=12…", "password=1234"},
		"twice in a line":  {"a … b … c", "a 1 b 2 b 3 c"},
		"a broken line":    {"Error: this is\nno good\nb", "Error: this is no good\nb"},
		"broken and left":  {"Error: …\nno good", "Error: it is no good"},
		"UIDs and addresses": {"roadstead:ed48a9b3dbd3:d72cf7e1-ac23-4697-8694-a987e9451e7b http://127.0.0.1:1",
			"roadstead:0018a9b3dbd3:00000000-ac23-4697-8694-a987e9451e7b http://127.0.0.1:12"},
		"installations": {"retained:ed48a9b3dbd3: roadstead-anchor:ed48a9b3dbd3", "retained:0302361af007: roadstead-anchor:000000000000"},
		"digests":       {"sha256:" + strings.Repeat("a", 64), "sha256:" + strings.Repeat("b", 64)},
		"hashes":        {"Pod/busy-5b8d774db9 busy-8fb7746cf", "Pod/busy-zxvwbdf456 busy-8fb7746c5"},
		"times":         {"2026-01-01T00:00:00Z 3m10s (x2 over 5s)", "2027-01-01T00:00:00.123Z 3m"},
		"approvals":     {"crdschema-7b6d6d7e-c93-breaking", "crdschema-00000000-c00-breaking"},
	} {
		assert.NoError(t, Compare(Rules(), strings.Split(c.shown, "\n"), c.printed), name)
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct{ shown, printed string }{
		"something":          {"", "a"},
		"nothing":            {"a", ""},
		"another word":       {"a b", "a c"},
		"a line too many":    {"a", "a\nb"},
		"a line too few":     {"a\nb", "a"},
		"another order":      {"a\nb", "b\na"},
		"behind what is out": {"a\n…\nd", "a\nb\nc"},
		"within a line":      {"a … c", "a b d"},
		"in another order":   {"a …b…c d", "a c b d"},
		"two on one line":    {"a\n…\nc", "a b c"},
		"numbers":            {"3/3", "2/3"},
		"names":              {"busy-server", "idle-server"},
	} {
		assert.Error(t, Compare(Rules(), strings.Split(c.shown, "\n"), c.printed), name)
	}
	err := Compare(Rules(), []string{"a", "b", "c"}, "a\nx\nc\n")
	assert.EqualError(t, err, "the page shows\n  | a\n  | b\n  | c\nand this was printed\n  | a\n  | x\n  | c\n"+
		"The first line that does not fit, as compared:\n  shown:   b\n  printed: x")
}
