// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"strings"
)

// anything marks omitted output on a page: within a line any text, alone on a line any lines.
const anything = "…"

// Rule replaces text that differs between runs by a fixed word, on the page and in the output.
type Rule struct {
	Pattern *regexp.Regexp
	Word    string
}

// age matches a duration as kubectl prints it.
const age = `(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+[smhd]`

// Rules returns the rules for the output of Kubernetes tools. Columns of tables may have any width.
func Rules() []Rule {
	rule := func(pattern, word string) Rule { return Rule{Pattern: regexp.MustCompile(pattern), Word: word} }
	return []Rule{
		rule(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`, "TIME"),
		rule(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "UUID"),
		rule(`\bsha256:[0-9a-f]{64}\b`, "DIGEST"),
		// Names of Approvals contain the beginning of a UUID.
		rule(`\b[0-9a-f]{8}-[0-9a-f]{3}-`, "HEX-"),
		rule(`\b(127\.0\.0\.1|localhost):\d{1,5}\b`, "$1:PORT"),
		// The name of a TakaroEndpoint ends with a hash of the URL, whose port differs.
		rule(`\b127\.0\.0\.1-[0-9a-f]{8}\b`, "127.0.0.1-HEX"),
		// Hashes of ControllerRevisions and ReplicaSets use letters that form no words.
		rule(`-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b`, "-HASH"),
		rule(`\b(roadstead|roadstead-anchor|retained):[0-9a-f]{12}\b`, "$1:INSTALLATION"),
		// Requiring a digit and a letter excludes plain numbers and words.
		rule(`\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{6,}\b`, "HEX"),
		rule(`\b`+age+`\b(?: \(x\d+ over `+age+`\))?`, "AGE"),
		rule(`\s+`, " "),
	}
}

// normal returns a line in the form in which it is compared.
func normal(rules []Rule, line string) string {
	for _, rule := range rules {
		line = rule.Pattern.ReplaceAllString(line, rule.Word)
	}
	return strings.TrimSpace(line)
}

// normals returns the lines that are not empty, in the form in which they are compared.
func normals(rules []Rule, lines []string) []string {
	var found []string
	for _, line := range lines {
		if line = normal(rules, line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

// Compare returns how the output differs from the lines that a page shows. A line of the output may
// be broken at spaces into several lines on the page.
func Compare(rules []Rule, shown []string, printed string) error {
	c := comparison{shown: normals(rules, shown), printed: normals(rules, strings.Split(printed, "\n")), failed: map[[2]int]bool{}}
	if c.fits(0, 0) {
		return nil
	}
	return fmt.Errorf("the page shows\n%s\nand this was printed\n%s\nThe first line that does not fit, as compared:\n  shown:   "+
		"%s\n  printed: %s",
		indented(strings.Join(shown, "\n")), indented(printed), lineAt(c.shown, c.furthest[0]), lineAt(c.printed, c.furthest[1]))
}

// broken is the maximum number of lines of a page into which a line of the output may be broken.
const broken = 10

// comparison searches for a match of the shown lines with the output.
type comparison struct {
	shown, printed []string
	failed         map[[2]int]bool
	furthest       [2]int
}

// fits reports whether the shown lines from i on match the output lines from j on.
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

// lineFits reports whether a line of the output matches a shown line, in which anything matches any
// text.
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

// longest is the maximum number of lines of a text in an error. The last lines are kept.
const longest = 60

func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - longest; more > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines more)", more)}, lines[more:]...)
	}
	return "  | " + strings.Join(lines, "\n  | ")
}
