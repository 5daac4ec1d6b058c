// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Runner runs blocks in a session.
type Runner struct {
	Session *Session
	// Rules replace text that differs between runs.
	Rules []Rule
	// Limit is the timeout of each script and each command. Patience is how long a read-only
	// command is repeated until it prints what the page shows.
	Limit, Patience time.Duration
}

// ErrEnded reports that the shell of a page has ended, so that the rest of the page cannot be run.
var ErrEnded = errors.New("nothing below it was run")

// looks matches read-only commands, which are repeated until an object is in the expected state.
var looks = regexp.MustCompile(`^(kubectl (get|describe|events|api-resources|auth can-i|roadstead (status|tree))\b|curl -s \S+$)`)

const lookEvery = 200 * time.Millisecond

// Run runs a block. The error contains page and line, the command, what is wrong, and the expected
// and actual output. It is ErrEnded if the rest of the page cannot be run. Run does nothing for
// blocks that are not run.
func (r *Runner) Run(ctx context.Context, b Block) error {
	if !b.Runs() {
		return nil
	}
	if b.Language == Script {
		return r.script(ctx, b)
	}
	commands, err := b.Console()
	if err != nil {
		return err
	}
	var problems []error
	for _, command := range commands {
		err := r.command(ctx, command)
		if err == nil {
			continue
		}
		problems = append(problems, fmt.Errorf("%s:%d: %w\n%s", b.Page, command.Line, err, indented(prompt+command.Text)))
		if errors.Is(err, ErrEnded) {
			break
		}
	}
	return errors.Join(problems...)
}

func (r *Runner) script(ctx context.Context, b Block) error {
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	result, err := r.Session.Script(ctx, b.Text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: it has not ended after %s (%w): %w\n%s\nIt printed\n%s", b.Where(), r.Limit, err, ErrEnded,
			indented(b.Text), indented(result.Output))
	case result.Ended || result.Status != 0:
		return fmt.Errorf("%s: it fails with exit status %d: %w\n%s\nIt printed\n%s", b.Where(), result.Status, ErrEnded,
			indented(b.Text), indented(result.Output))
	}
	return nil
}

// command runs one command. It repeats a read-only command while its output differs from the page.
func (r *Runner) command(ctx context.Context, c Command) error {
	begin := time.Now()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		err := r.once(ctx, c)
		if err == nil || errors.Is(err, ErrEnded) || !looks.MatchString(c.Text) || time.Since(begin) > r.Patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}

func (r *Runner) once(ctx context.Context, c Command) error {
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	result, err := r.Session.Command(ctx, c.Text)
	switch {
	case err != nil:
		return fmt.Errorf("it has not ended after %s (%w): %w; it printed\n%s", r.Limit, err, ErrEnded, indented(result.Output))
	case result.Ended:
		return fmt.Errorf("it ends the shell with exit status %d: %w; it printed\n%s", result.Status, ErrEnded, indented(result.Output))
	case c.Fails && result.Status == 0:
		return fmt.Errorf("by the page it fails, and it did not; it printed\n%s", indented(result.Output))
	case !c.Fails && result.Status != 0:
		return fmt.Errorf("it fails with exit status %d; it printed\n%s", result.Status, indented(result.Output))
	case c.Varies:
		return nil
	}
	return Compare(r.Rules, c.Output, result.Output)
}
