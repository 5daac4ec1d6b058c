// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// setUpDir is the directory of the setup files, below the root.
const setUpDir = "test/integration/docs"

// setUpFile returns the path below the root of the setup file of a page. The README of a directory
// has the name of the directory.
func setUpFile(page string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(page, ".md"), "/README")
	return setUpDir + "/" + strings.ReplaceAll(strings.TrimPrefix(name, "docs/"), "/", "-") + ".sh"
}

// place is the place at which the script of a section runs.
type place struct {
	// when is "before" or "after".
	when string
	// anchor and number identify a command block. The anchor is empty for the end of the page.
	anchor string
	number int
}

var (
	// anyHeader matches the header of a section and comments that could be mistaken for one.
	anyHeader = regexp.MustCompile(`^# (before|after)( |:|$)`)
	header    = regexp.MustCompile(`^# (before|after)(?: #(\S+) ([1-9][0-9]*))?(?:: .+)?$`)
)

// readHeader returns the place in a header.
func readHeader(line string) (place, error) {
	match := header.FindStringSubmatch(line)
	if match == nil || match[1] == "before" && match[2] == "" {
		return place{}, fmt.Errorf("%q is not the header of a section: write \"# before #anchor number\", "+
			"\"# after #anchor number\" or \"# after\", each with an optional \": reason\"", line)
	}
	at := place{when: match[1], anchor: match[2]}
	if at.anchor != "" {
		number, err := strconv.Atoi(match[3])
		if err != nil {
			return place{}, fmt.Errorf("%q: %w", line, err)
		}
		at.number = number
	}
	return at, nil
}

// addSetUp adds the scripts of the page's setup file at their places. The error contains the line
// of a header that is malformed or identifies no block of the page, and of text outside of a
// section.
func (p *Page) addSetUp(file, text string) error {
	scripts := map[place][]Block{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		at, err := p.readPlace(lines[i])
		switch {
		case err != nil:
			return fmt.Errorf("%s:%d: %w", file, i+1, err)
		case at == place{}:
			i++
			continue
		}
		begin := i + 1
		for i = begin; i < len(lines) && !anyHeader.MatchString(lines[i]); i++ {
		}
		script := strings.TrimRight(strings.Join(lines[begin:i], "\n"), "\n")
		if strings.TrimSpace(script) == "" {
			return fmt.Errorf("%s:%d: the section has no commands", file, begin)
		}
		scripts[at] = append(scripts[at], Block{Page: file, Line: begin + 1, Language: Script, Hidden: true, Text: script + "\n"})
	}
	p.insert(scripts)
	return nil
}

// readPlace returns the place in the header of a section, and no place for a line that may precede
// the first section.
func (p *Page) readPlace(line string) (place, error) {
	switch {
	case anyHeader.MatchString(line):
		at, err := readHeader(line)
		if err != nil {
			return place{}, err
		}
		return at, p.find(at)
	case line == "" || strings.HasPrefix(line, "#"):
		return place{}, nil
	}
	return place{}, fmt.Errorf("%q belongs to no section", line)
}

// find returns an error if the page has no heading or no command block at a place.
func (p *Page) find(at place) error {
	if at.anchor == "" {
		return nil
	}
	if !p.Anchors[at.anchor] {
		return fmt.Errorf("%s has no heading #%s", p.Name, at.anchor)
	}
	count := 0
	for _, b := range p.Blocks {
		if b.Anchor == at.anchor {
			count = max(count, b.Number)
		}
	}
	if at.number > count {
		return fmt.Errorf("%s has no command block %d below #%s, only %d", p.Name, at.number, at.anchor, count)
	}
	return nil
}

// insert adds scripts before and after the blocks of their places, and at the end of the page.
func (p *Page) insert(scripts map[place][]Block) {
	var all []Block
	for _, b := range p.Blocks {
		if b.Number == 0 {
			all = append(all, b)
			continue
		}
		all = append(all, scripts[place{"before", b.Anchor, b.Number}]...)
		all = append(all, b)
		all = append(all, scripts[place{"after", b.Anchor, b.Number}]...)
	}
	p.Blocks, p.After = all, scripts[place{when: "after"}]
}
