// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// prompt precedes each command of a console block.
const prompt = "$ "

// Command is one command of a console block.
type Command struct {
	// Line is its first line on the page, from 1.
	Line int
	// Text is the command. It has several lines if they end with a backslash.
	Text string
	// Output are the lines that the page shows below the command.
	Output []string
	// Varies reports that the output is not compared.
	Varies bool
	// Fails reports that the exit status must not be 0.
	Fails bool
}

// shownError matches the beginning of an error of kubectl or Helm.
var shownError = regexp.MustCompile(`^(Error from server|error: |Error: |The [A-Za-z]+ ".*" is invalid)`)

// Console returns the commands of a console block. It returns an error for a line that is not part
// of a command.
func (b Block) Console() ([]Command, error) {
	var commands []Command
	continued := false
	for i, line := range strings.Split(strings.TrimRight(b.Text, "\n"), "\n") {
		switch {
		case continued:
			commands[len(commands)-1].Text += "\n" + line
		case strings.HasPrefix(line, prompt):
			commands = append(commands, Command{Line: b.Line + i, Text: strings.TrimPrefix(line, prompt)})
		case len(commands) == 0:
			return nil, fmt.Errorf("%s: a console block begins with a command behind %q", b.Where(), prompt)
		default:
			last := &commands[len(commands)-1]
			last.Output = append(last.Output, line)
			continue
		}
		continued = strings.HasSuffix(line, `\`)
	}
	for i := range commands {
		commands[i].Varies = b.Varies != ""
		commands[i].Fails = slices.Contains(b.Fails, i+1) || slices.ContainsFunc(commands[i].Output, shownError.MatchString)
	}
	for _, number := range b.Fails {
		if number > len(commands) {
			return nil, fmt.Errorf("%s: it has %d commands, and number %d is said to fail", b.Where(), len(commands), number)
		}
	}
	return commands, nil
}

// hasPrompt reports whether a line of a text looks like a command of a console block.
func hasPrompt(text string) bool {
	return strings.HasPrefix(text, prompt) || strings.Contains(text, "\n"+prompt)
}
