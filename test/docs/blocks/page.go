// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"strings"
)

// Languages of blocks that hold commands.
const (
	Script  = "sh"
	Console = "console"
)

// quoted is the language of a page that another one shows.
const quoted = "markdown"

// Block is a fenced block of a page, or a script in a comment.
type Block struct {
	// Page is the path of the page below the root, Line that of the first line of the text, from 1.
	Page string
	Line int
	// Language is the first word behind the fence, "" when there is none.
	Language string
	// Hidden says that it is a script in a comment.
	Hidden bool
	// NotRun is the reason why it is not run, from "not-run: …"; "" when it is.
	NotRun string
	// Varies is the reason why what it prints is not compared, from "varies: …"; "" when it is.
	Varies string
	// Fails are the commands of a console block, from 1, that end with another exit status than 0, from "fails: 1 3". A
	// command below which the page shows an error of kubectl or Helm need not be named.
	Fails []int
	// Text is the content, without the indentation that the fence has.
	Text string
}

// Where gives "page:line".
func (b Block) Where() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Commands tells whether the block holds commands, run or not.
func (b Block) Commands() bool { return b.Language == Script || b.Language == Console }

// Runs tells whether the block is run.
func (b Block) Runs() bool { return b.Commands() && b.NotRun == "" }

// Page is a Markdown page.
type Page struct {
	// Name is its path below the root.
	Name string
	// Blocks are those of the page in order, with the hidden scripts between them; After are those for its end.
	Blocks, After []Block
}

// Runs tells whether any block of the page is run.
func (p Page) Runs() bool {
	for _, b := range p.Blocks {
		if b.Runs() && !b.Hidden {
			return true
		}
	}
	return false
}

// Parse reads a page. The error names the line of a fence or comment that is not closed, and of a block or comment that
// says something which nobody understands.
func Parse(name, text string) (Page, error) {
	page := Page{Name: name}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		var end int
		var err error
		if f, ok := openFence(lines[i]); ok {
			end, err = page.fenced(lines, i, f)
		} else if strings.HasPrefix(strings.TrimSpace(lines[i]), comment) {
			end, err = page.commented(lines, i)
		} else {
			end = i
		}
		if err != nil {
			return Page{}, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		i = end + 1
	}
	return page, nil
}

// fenced adds the block whose fence is at a line, and gives the line of its end.
func (p *Page) fenced(lines []string, at int, f fence) (end int, err error) {
	b := Block{Page: p.Name, Line: at + 2}
	if err := b.read(f.info); err != nil {
		return 0, err
	}
	for end = at + 1; end < len(lines); end++ {
		if f.closes(lines[end]) {
			b.Text = f.content(lines[at+1 : end])
			p.Blocks = append(p.Blocks, b)
			return end, b.check()
		}
	}
	return 0, fmt.Errorf("the block that begins here is not closed")
}

// check finds blocks whose text does not fit what they say of themselves.
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
