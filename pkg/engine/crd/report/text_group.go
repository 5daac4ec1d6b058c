// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	// indent is the indentation of lines after the one with the code of a rule.
	indent = "    "
	// examples is the maximum number of findings of a rule that are shown.
	examples = 3
	// hints is the maximum number of different hints of a rule that are shown.
	hints = 2
	none  = "(none)"
)

// prefix returns the beginning of the first line of a group.
func prefix(one *group) string {
	return pad(string(one.verdict), 4) + one.code + "  "
}

// coloured adds colors to a line that begins with the prefix.
func (t *text) coloured(one *group, line string) string {
	return t.style.verdict(one.verdict, pad(string(one.verdict), 4)) + t.bold(one.code) + "  " + strings.TrimPrefix(line, prefix(one))
}

// single returns a group on one line.
func (t *text) single(one *group) string {
	line := prefix(one) + one.change
	what := at(one.entries[0])
	switch {
	case len(one.entries) > 1:
		line += fmt.Sprintf(": %d times", len(one.entries))
		what = ", such as " + what
	case one.entries[0].LiveCount > 0:
		line += ": found in " + countOf(one.entries[0].LiveCount, "live object", "live objects")
		what = ", " + what
	case what != "":
		what = ": " + what
	}
	room := t.width - utf8.RuneCountInString(line+what) - 2
	if change := values(one.entries[0], room); len(one.entries) == 1 && room >= 2*len(none) && utf8.RuneCountInString(change) <= room &&
		change != "" {
		what += "  " + change
	}
	if utf8.RuneCountInString(line+what) <= t.width {
		line += what
	}
	return t.coloured(one, cutLine(line, t.width))
}

// at returns the location of an entry.
func at(one *entry) string {
	switch {
	case len(one.versions) == 0:
		return one.Path
	case one.Path == "":
		return strings.Join(one.versions, ", ")
	}
	return one.Path + " in " + strings.Join(one.versions, ", ")
}

// values returns the old and the new value of an entry, in about as many columns as there is room.
func values(one *entry, room int) string {
	if one.Old == "" && one.New == "" {
		return ""
	}
	half := max(room/2-2, 12)
	old, changed := none, none
	if one.Old != "" {
		old = cut(one.Old, half)
	}
	if one.New != "" {
		changed = cut(one.New, half)
	}
	return old + " → " + changed
}

// full returns a group: the rule, up to three places with their messages, who is affected, and how to fix it.
func (t *text) full(one *group) []string {
	lines := t.places(one, examples)
	if hit := whom(one.hits); hit != "" {
		lines = append(lines, t.labelled("Affects:", hit)...)
	}
	for i, fix := range one.fixes {
		if i < hints {
			lines = append(lines, t.labelled("Fix:", fix)...)
		}
	}
	return lines
}

// short returns a group with one place.
func (t *text) short(one *group) []string {
	return t.places(one, 1)
}

// places returns the rule and a number of its places. A message that several places share is included once, after the first.
func (t *text) places(one *group, most int) []string {
	versions, same := one.versions()
	title := cmp.Or(one.change, "changed")
	if same && versions != "" {
		title += " (" + versions + ")"
	}
	lines := wrap(title, prefix(one), indent, t.width)
	lines[0] = t.coloured(one, lines[0])
	shown := one.entries[:min(len(one.entries), most)]
	column := 0
	for _, each := range shown {
		if length := utf8.RuneCountInString(each.Path); length <= t.width/2 {
			column = max(column, length)
		}
	}
	said := ""
	for _, each := range shown {
		lines = append(lines, t.place(each, column, same)...)
		if message := each.withoutPlace(); message != said {
			lines = append(lines, wrap(each.Message, indent, indent, t.width)...)
			said = message
		}
		lines = append(lines, t.live(each)...)
	}
	if rest := len(one.entries) - len(shown); rest > 0 {
		lines = append(lines, indent+fmt.Sprintf("and %d more", rest))
	}
	return lines
}

// withoutPlace returns the message without the parts that differ between places.
func (e *entry) withoutPlace() string {
	message := neutral(e.Finding)
	for _, part := range []string{e.Path, e.Old, e.New} {
		if len(part) > 1 {
			message = strings.ReplaceAll(message, part, "*")
		}
	}
	return message
}

// versions returns the versions of the entries, and reports whether all entries have the same.
func (g *group) versions() (string, bool) {
	first := g.entries[0].versions
	for _, one := range g.entries {
		if !slices.Equal(one.versions, first) {
			return "", false
		}
	}
	return strings.Join(first, ", "), true
}

// place returns the line of an entry: the path, the versions unless all entries have the same, and the values. Long values are on
// a second line.
func (t *text) place(one *entry, column int, same bool) []string {
	where := one.Path
	if !same && len(one.versions) > 0 {
		where = at(one)
	}
	if where == "" && one.Old == "" && one.New == "" {
		return nil
	}
	padded := pad(where, column)
	room := t.width - len(indent) - utf8.RuneCountInString(padded) - 2
	change := values(one, room)
	switch {
	case change == "":
		return []string{indent + t.bold(where)}
	case where == "":
		return []string{indent + change}
	case utf8.RuneCountInString(change) > room:
		return []string{indent + t.bold(where), indent + "  " + values(one, t.width-len(indent)-2)}
	}
	return []string{indent + t.bold(padded) + "  " + change}
}

// live returns what was found in a cluster.
func (t *text) live(one *entry) []string {
	if one.Evidence != rules.Live || one.LiveCount == 0 {
		return nil
	}
	seen := "Found in " + countOf(one.LiveCount, "live object", "live objects")
	if len(one.SampleObjects) > 0 {
		seen += ": " + strings.Join(one.SampleObjects, ", ")
		if one.LiveCount > len(one.SampleObjects) {
			seen += ", …"
		}
	}
	return wrap(seen, indent, indent, t.width)
}

func (t *text) labelled(label, what string) []string {
	lines := wrap(label+" "+what, indent, indent, t.width)
	lines[0] = indent + t.dim(label) + strings.TrimPrefix(lines[0], indent+label)
	return lines
}
