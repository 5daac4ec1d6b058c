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
	// indent is below the code of a rule.
	indent = "    "
	// examples is how many findings of a rule are shown.
	examples = 3
	// hints is how many different hints of a rule are shown.
	hints = 2
	none  = "(none)"
)

// prefix begins the lines of a group.
func prefix(one *group) string {
	return pad(string(one.verdict), 4) + one.code + "  "
}

// coloured colours a line that begins with the prefix.
func (t *text) coloured(one *group, line string) string {
	return t.style.verdict(one.verdict, pad(string(one.verdict), 4)) + t.bold(one.code) + "  " + strings.TrimPrefix(line, prefix(one))
}

// single is a group on one line.
func (t *text) single(one *group) string {
	line := prefix(one) + one.change
	what := at(one.entries[0])
	switch {
	case len(one.entries) > 1:
		line += fmt.Sprintf(": %d times", len(one.entries))
		what = ", such as " + what
	case one.entries[0].LiveCount > 0:
		line += ": seen on " + countOf(one.entries[0].LiveCount, "live object", "live objects")
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

// at is where an entry is.
func at(one *entry) string {
	switch {
	case len(one.versions) == 0:
		return one.Path
	case one.Path == "":
		return strings.Join(one.versions, ", ")
	}
	return one.Path + " in " + strings.Join(one.versions, ", ")
}

// values are what stood there and what stands there now, in about so many columns.
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

// full writes a group: the rule, up to three places with what is said of them, who is hit, what to do.
func (t *text) full(one *group) []string {
	lines := t.places(one, examples)
	if hit := whom(one.hits); hit != "" {
		lines = append(lines, t.labelled("Hits:", hit)...)
	}
	for i, fix := range one.fixes {
		if i < hints {
			lines = append(lines, t.labelled("Fix:", fix)...)
		}
	}
	return lines
}

// short is a group with one place.
func (t *text) short(one *group) []string {
	return t.places(one, 1)
}

// places write the rule and a number of its places. What is said of several alike is said once, below the first of them.
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

// withoutPlace is the message without what differs from place to place.
func (e *entry) withoutPlace() string {
	message := neutral(e.Finding)
	for _, part := range []string{e.Path, e.Old, e.New} {
		if len(part) > 1 {
			message = strings.ReplaceAll(message, part, "*")
		}
	}
	return message
}

// versions are those of all entries, and whether each entry has them.
func (g *group) versions() (string, bool) {
	first := g.entries[0].versions
	for _, one := range g.entries {
		if !slices.Equal(one.versions, first) {
			return "", false
		}
	}
	return strings.Join(first, ", "), true
}

// place is the line of an entry: path, versions unless they are said above, and what changed; on a second line if long.
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

// live tells what was seen in a cluster.
func (t *text) live(one *entry) []string {
	if one.Evidence != rules.Live || one.LiveCount == 0 {
		return nil
	}
	seen := "Seen on " + countOf(one.LiveCount, "live object", "live objects")
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
