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

const waitLong = `Wait until objects are ready, deleted or finished, and show their progress: on a terminal one line for each object,
otherwise a line for each change.

Without names, the command waits for all objects that exist in the namespace at the start. It also waits for named objects
that do not exist yet. An object in phase Error needs a user to correct it; with --fail-fast it ends the wait.

Exit codes: 0 all objects reached the state, 1 the time expired or --fail-fast ended the wait, 2 a request failed. With
--for finished the exit code is 0 whatever the outcome; the reason is shown.`

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
		return fmt.Errorf("--for: %q is not supported: must be one of %s, %s, %s", o.until, forReady, forDeleted, forFinished)
	}
	if o.timeout <= 0 {
		return fmt.Errorf("--timeout: %s is invalid: must be greater than 0", o.timeout)
	}
	return nil
}

func (t *tool) wait() *cobra.Command {
	var options waitOptions
	command := &cobra.Command{
		Use:     "wait [KIND | KIND/NAME... | KIND NAME...]",
		Short:   "Wait until objects are ready, and show their progress",
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
	flags.StringVar(&options.until, "for", forReady, "State to wait for: ready, deleted or finished.")
	flags.DurationVar(&options.timeout, "timeout", 5*time.Minute, "Maximum time to wait for all objects together. Must be greater than 0.")
	flags.BoolVar(&options.failFast, "fail-fast", false,
		"End with exit code 1 as soon as an object is in phase Error, which a user has to correct.")
	complete(command, "for", forReady, forDeleted, forFinished)
	complete(command, "timeout")
	return command
}

// awaited is one object that the command waits for.
type awaited struct {
	kind *kind
	name string
	// uid is the UID of the object at the start of a wait for its deletion: a new object has
	// another UID. Empty: unknown.
	uid string
	progress
}

func (a *awaited) title() string { return a.kind.Kind + "/" + a.name }

// progress is the progress of an object.
type progress struct {
	reached, failed bool
	// text describes the progress in one line.
	text string
}

// waitFor returns nil when all objects have reached the state.
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
		return fmt.Errorf("cannot watch: %w", err)
	}
	all := watched.objects(wanted, options.until)
	if len(all) == 0 && options.until == forDeleted {
		_, err = fmt.Fprintf(t.streams.Out, "No objects to wait for in namespace %s.\n", c.namespace)
		return err
	}
	if len(all) == 0 {
		// This is probably a mistake, such as the wrong namespace.
		return fmt.Errorf("no objects to wait for in namespace %q; to wait for objects that do not exist yet, name them", c.namespace)
	}
	show := newBoard(t.streams.Out)
	for {
		reached, failed := watched.measure(all, options.until, time.Now())
		show.draw(all)
		switch {
		case reached == len(all):
			return nil
		case failed > 0 && options.failFast:
			return t.unreached(all, options, "a user has to act")
		}
		if err := watched.next(ctx); errors.Is(err, context.DeadlineExceeded) {
			return t.unreached(all, options, "waited for "+options.timeout.String())
		} else if err != nil {
			return err
		}
	}
}

// kindsToWatch returns the kinds that the arguments name; without arguments, all kinds with a
// status.
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

// unreached prints the objects that have not reached the state, and returns the exit code.
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
