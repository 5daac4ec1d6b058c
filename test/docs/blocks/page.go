// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"errors"
	"fmt"
	"strings"
)

// The languages of command blocks.
const (
	Script  = "sh"
	Console = "console"
)

// quoted is the language of a block that shows a page.
const quoted = "markdown"

// comment begins a comment with setup, which belongs in the setup file.
const comment = "<!-- docs-test"

// Block is a fenced block of a page, or a script of its setup file.
type Block struct {
	// Page is the path of the page or setup file below the root, and Line the first line of the
	// text, from 1.
	Page string
	Line int
	// Anchor is that of the heading above. Number is the position among the command blocks below
	// that heading, from 1. Number is 0 for other blocks, and both are unset for scripts of a setup
	// file.
	Anchor string
	Number int
	// Language is the first word after the fence, or "" if there is none.
	Language string
	// Hidden reports that it is a script of a setup file.
	Hidden bool
	// NotRun is the reason why the block is not run, from "not-run: …". It is "" if the block is
	// run.
	NotRun string
	// Varies is the reason why the output is not compared, from "varies: …". It is "" if the output
	// is compared.
	Varies string
	// Fails are the commands of a console block, from 1, whose exit status must not be 0, from
	// "fails: 1 3". Commands below which the page shows an error of kubectl or Helm need not be
	// listed.
	Fails []int
	// Text is the content, without the indentation of the fence.
	Text string
}

// Where returns "page:line".
func (b Block) Where() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Commands reports whether the block contains commands, run or not.
func (b Block) Commands() bool { return b.Language == Script || b.Language == Console }

// Runs reports whether the block is run.
func (b Block) Runs() bool { return b.Commands() && b.NotRun == "" }

// Page is a Markdown page.
type Page struct {
	// Name is its path below the root.
	Name string
	// Anchors are the valid fragments of a link to the page.
	Anchors map[string]bool
	// Blocks are the blocks of the page in order, including hidden scripts. After are the scripts
	// for its end.
	Blocks, After []Block
}

// Runs reports whether any block of the page is run.
func (p Page) Runs() bool {
	for _, b := range p.Blocks {
		if b.Runs() && !b.Hidden {
			return true
		}
	}
	return false
}

// Parse parses a page. It returns an error with the line of a fence that is not closed, of a block
// with an unknown or invalid info string, or of a comment with setup.
func Parse(name, text string) (Page, error) {
	page := Page{Name: name, Anchors: map[string]bool{}}
	lines := strings.Split(text, "\n")
	anchor, number := "", 0
	for i := 0; i < len(lines); i++ {
		f, ok := openFence(lines[i])
		if !ok {
			if strings.Contains(lines[i], comment) {
				return Page{}, fmt.Errorf("%s:%d: a page holds no set-up: move it to %s", name, i+1, setUpFile(name))
			}
			if below := page.addHeading(lines[i], anchor); below != anchor {
				anchor, number = below, 0
			}
			continue
		}
		b, end, err := fenced(lines, i, f)
		if err != nil {
			return Page{}, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		b.Page, b.Anchor = name, anchor
		if b.Commands() {
			number++
			b.Number = number
		}
		if err := b.check(); err != nil {
			return Page{}, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		page.Blocks = append(page.Blocks, b)
		i = end
	}
	return page, nil
}

// fenced returns the block whose fence is on a line, and the line of its end.
func fenced(lines []string, at int, f fence) (b Block, end int, err error) {
	b.Line = at + 2
	if err := b.read(f.info); err != nil {
		return Block{}, 0, err
	}
	for end = at + 1; end < len(lines); end++ {
		if f.closes(lines[end]) {
			b.Text = f.content(lines[at+1 : end])
			return b, end, nil
		}
	}
	return Block{}, 0, errors.New("the block that begins here is not closed")
}

// check returns an error if the text of the block does not match its info string.
func (b Block) check() error {
	switch {
	case b.NotRun != "" || b.Language == quoted:
		return nil
	case b.Language == Console:
		_, err := b.Console()
		return err
	case hasPrompt(b.Text):
		return fmt.Errorf("there are commands behind %q in it: its language is to be %s", prompt, Console)
	}
	return nil
}
