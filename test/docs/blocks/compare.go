// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"strings"
)

// anything stands on a page for what is left out: within a line for any text, alone on a line for any lines.
const anything = "…"

// Rule replaces what differs from run to run by one word, on the page and in what is printed.
type Rule struct {
	Pattern *regexp.Regexp
	Word    string
}

// age is how kubectl writes a time that has passed.
const age = `(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+[smhd]`

// Rules are those for what Kubernetes prints. Columns of tables may have any width.
func Rules() []Rule {
	rule := func(pattern, word string) Rule { return Rule{Pattern: regexp.MustCompile(pattern), Word: word} }
	return []Rule{
		rule(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`, "TIME"),
		rule(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "UUID"),
		rule(`\bsha256:[0-9a-f]{64}\b`, "DIGEST"),
		// Names of Approvals hold the beginning of a UUID.
		rule(`\b[0-9a-f]{8}-[0-9a-f]{3}-`, "HEX-"),
		rule(`\b(127\.0\.0\.1|localhost):\d{1,5}\b`, "$1:PORT"),
		// The name of a TakaroEndpoint ends with a hash of the URL, whose port differs.
		rule(`\b127\.0\.0\.1-[0-9a-f]{8}\b`, "127.0.0.1-HEX"),
		// Hashes of ControllerRevisions and ReplicaSets are of letters that make no words.
		rule(`-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b`, "-HASH"),
		rule(`\b(roadstead|roadstead-anchor|retained):[0-9a-f]{12}\b`, "$1:INSTALLATION"),
		// A number has no letter, a word no digit.
		rule(`\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{6,}\b`, "HEX"),
		rule(`\b`+age+`\b(?: \(x\d+ over `+age+`\))?`, "AGE"),
		rule(`\s+`, " "),
	}
}

// normal gives a line as it is compared.
func normal(rules []Rule, line string) string {
	for _, rule := range rules {
		line = rule.Pattern.ReplaceAllString(line, rule.Word)
	}
	return strings.TrimSpace(line)
}

// normals gives the lines that are not empty, as they are compared.
func normals(rules []Rule, lines []string) []string {
	var found []string
	for _, line := range lines {
		if line = normal(rules, line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

// Compare tells how what was printed differs from the lines that a page shows. One line that was printed may be several on
// the page, broken at spaces.
func Compare(rules []Rule, shown []string, printed string) error {
	c := comparison{shown: normals(rules, shown), printed: normals(rules, strings.Split(printed, "\n")), failed: map[[2]int]bool{}}
	if c.fits(0, 0) {
		return nil
	}
	return fmt.Errorf("the page shows\n%s\nand this was printed\n%s\nThe first line that does not fit, as compared:\n  shown:   "+
		"%s\n  printed: %s",
		indented(strings.Join(shown, "\n")), indented(printed), lineAt(c.shown, c.furthest[0]), lineAt(c.printed, c.furthest[1]))
}

// broken is how many lines of a page one that was printed may be broken into.
const broken = 10

// comparison looks for a way to lay the shown lines over the printed ones.
type comparison struct {
	shown, printed []string
	failed         map[[2]int]bool
	furthest       [2]int
}

// fits tells whether the shown lines from i on fit the printed ones from j on.
func (c *comparison) fits(i, j int) bool {
	if i == len(c.shown) && j == len(c.printed) {
		return true
	}
	if c.failed[[2]int{i, j}] {
		return false
	}
	if j > c.furthest[1] || j == c.furthest[1] && i > c.furthest[0] {
		c.furthest = [2]int{i, j}
	}
	if i < len(c.shown) && c.shown[i] == anything {
		if c.fits(i+1, j) || j < len(c.printed) && c.fits(i, j+1) {
			return true
		}
	} else if j < len(c.printed) {
		for k := i + 1; k <= min(len(c.shown), i+broken) && c.shown[k-1] != anything; k++ {
			if lineFits(strings.Join(c.shown[i:k], " "), c.printed[j]) && c.fits(k, j+1) {
				return true
			}
		}
	}
	c.failed[[2]int{i, j}] = true
	return false
}

// lineFits tells whether a printed line is the shown one, in which anything stands for any text.
func lineFits(shown, printed string) bool {
	parts := strings.Split(shown, anything)
	if len(parts) == 1 {
		return shown == printed
	}
	rest, found := strings.CutPrefix(printed, parts[0])
	if !found {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing more)"
}

// longest is how many lines of a text a complaint quotes, the last ones.
const longest = 60

func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - longest; more > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines more)", more)}, lines[more:]...)
	}
	return "  | " + strings.Join(lines, "\n  | ")
}
