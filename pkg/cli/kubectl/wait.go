// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const waitLong = `Wait until objects are ready, deleted or finished, and show how they come along: on a terminal one line for each object,
else a line for each change.

Without names it waits for all objects that are in the namespace at the start. A named object that is not there yet is
waited for. An object in phase Error needs a person; with --fail-fast it ends the wait.

Exit codes: 0 all came to it, 1 not in time or --fail-fast ended it, 2 it could not be asked. --for finished ends with 0
however the work ended; the reason is shown.`

const waitExamples = `  kubectl roadstead wait -n team-a --timeout 5m
  kubectl roadstead wait domain/arena user/alice --fail-fast
  kubectl delete -f environment.yaml --wait=false && kubectl roadstead wait domain/arena --for deleted`

// The values of --for.
const (
	forReady    = "ready"
	forDeleted  = "deleted"
	forFinished = "finished"
)

// waitOptions are the flags of wait.
type waitOptions struct {
	until    string
	timeout  time.Duration
	failFast bool
}

func (o *waitOptions) validate() error {
	if !slices.Contains([]string{forReady, forDeleted, forFinished}, o.until) {
		return fmt.Errorf("--for: %q is none of %s, %s, %s", o.until, forReady, forDeleted, forFinished)
	}
	if o.timeout <= 0 {
		return fmt.Errorf("--timeout: %s is not more than 0", o.timeout)
	}
	return nil
}

func (t *tool) wait() *cobra.Command {
	var options waitOptions
	command := &cobra.Command{
		Use:     "wait [KIND | KIND/NAME... | KIND NAME...]",
		Short:   "Wait until objects are ready, and show how they come along",
		Long:    waitLong,
		Example: waitExamples,
		RunE: func(command *cobra.Command, args []string) error {
			if err := options.validate(); err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			return t.waitFor(command.Context(), c, args, options)
		},
		ValidArgsFunction: t.completeObjects,
	}
	flags := command.Flags()
	flags.StringVar(&options.until, "for", forReady, "What to wait for: ready, deleted or finished.")
	flags.DurationVar(&options.timeout, "timeout", 5*time.Minute, "How long to wait for all objects together.")
	flags.BoolVar(&options.failFast, "fail-fast", false,
		"End with exit code 1 as soon as an object is in phase Error, which a person has to mend.")
	complete(command, "for", forReady, forDeleted, forFinished)
	complete(command, "timeout")
	return command
}

// awaited is one object that is waited for.
type awaited struct {
	kind *kind
	name string
	// uid is that of the object at the start of a wait for its end: one made anew is another. Empty: not known.
	uid string
	progress
}

func (a *awaited) title() string { return a.kind.Kind + "/" + a.name }

// progress is how far an object is.
type progress struct {
	reached, failed bool
	// text says it in a line.
	text string
}

// waitFor returns nil when all came to what is waited for.
func (t *tool) waitFor(ctx context.Context, c *cluster, args []string, options waitOptions) error {
	ctx, cancel := context.WithTimeout(ctx, options.timeout)
	defer cancel()
	served, err := discover(ctx, c.discovery)
	if err != nil {
		return err
	}
	wanted, err := targets(args, served.ours())
	if err != nil {
		return err
	}
	watched := newWatching(c, kindsToWatch(wanted, served))
	if err := watched.start(ctx); err != nil {
		return fmt.Errorf("nothing could be watched: %w", err)
	}
	all := watched.objects(wanted, options.until)
	if len(all) == 0 && options.until == forDeleted {
		_, err = fmt.Fprintf(t.streams.Out, "There is nothing to wait for in namespace %s.\n", c.namespace)
		return err
	}
	if len(all) == 0 {
		// More likely a mistake, such as the wrong namespace, than what is wanted.
		return fmt.Errorf("there is nothing to wait for in namespace %q; name objects that are yet to come", c.namespace)
	}
	show := newBoard(t.streams.Out)
	for {
		reached, failed := watched.measure(all, options.until, time.Now())
		show.draw(all)
		switch {
		case reached == len(all):
			return nil
		case failed > 0 && options.failFast:
			return t.unreached(all, options, "a person has to act")
		}
		if err := watched.next(ctx); errors.Is(err, context.DeadlineExceeded) {
			return t.unreached(all, options, "waited for "+options.timeout.String())
		} else if err != nil {
			return err
		}
	}
}

// kindsToWatch are those that the arguments name, without arguments all that something is made of.
func kindsToWatch(wanted []target, served *catalog) []*kind {
	var kinds []*kind
	for _, w := range wanted {
		if !slices.Contains(kinds, w.kind) {
			kinds = append(kinds, w.kind)
		}
	}
	if len(wanted) > 0 {
		return kinds
	}
	for _, k := range served.ours() {
		if k.Namespaced && k.hasStatus() && k.can("watch") {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// unreached says what is missing, and gives the exit code.
func (t *tool) unreached(all []*awaited, options waitOptions, why string) error {
	const shown = 5
	var missing []string
	for _, a := range all {
		if !a.reached {
			missing = append(missing, a.title())
		}
	}
	names := strings.Join(missing[:min(len(missing), shown)], ", ")
	if len(missing) > shown {
		names += fmt.Sprintf(" and %d more", len(missing)-shown)
	}
	_, _ = fmt.Fprintf(t.streams.ErrOut, "%s: %s: %d of %d not %s: %s\n", displayName, why, len(missing), len(all), options.until, names)
	return exit(exitNotReady)
}
