// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const statusLong = `Report which objects are not ready, and why: one line for each cause, across all kinds of Roadstead.

An object that only waits for another one has no separate line: the line of the other object contains the number of waiting
objects, and their names with -o wide. Objects with the same cause share a line. In addition to the objects, the command
checks APIServices, the server and referenced Secrets, as far as your permissions allow. With names, it shows only those
objects and what they wait for.

Exit codes: 0 everything is ready, 1 something is not ready, 2 a request failed.`

const statusExamples = `  # The namespace of the kubeconfig, another one, all of them
  kubectl roadstead status
  kubectl roadstead status -n team-a
  kubectl roadstead status -A

  # One object, with what it waits for; all objects of a kind
  kubectl roadstead status mockserver/busy
  kubectl roadstead status users.takaro.roadstead.dev

  # With phases, ages, and the names of waiting objects; for programs
  kubectl roadstead status -o wide
  kubectl roadstead status -o json`

// The values of --output.
const (
	outputPlain = ""
	outputWide  = "wide"
	outputJSON  = "json"
)

// report is the result of status.
type report struct {
	// Ready is true if there are no findings and everything could be checked.
	Ready bool `json:"ready"`
	// Objects is the number of checked objects.
	Objects  int        `json:"objects"`
	Findings []*finding `json:"findings"`
	// NotAsked describes what could not be checked, and therefore may not be ready.
	NotAsked []string `json:"notAsked,omitempty"`
	// Notes describe what else was not checked.
	Notes []string `json:"notes,omitempty"`

	namespace string
}

func (r *report) exitCode() int {
	switch {
	case len(r.NotAsked) > 0:
		return exitUnusable
	case len(r.Findings) > 0:
		return exitNotReady
	}
	return exitFine
}

func (t *tool) status() *cobra.Command {
	var everywhere bool
	var output string
	command := &cobra.Command{
		Use:     "status [KIND | KIND/NAME... | KIND NAME...]",
		Short:   "Report which objects are not ready, and why, across all kinds",
		Long:    statusLong,
		Example: statusExamples,
		RunE: func(command *cobra.Command, args []string) error {
			if !slices.Contains([]string{outputPlain, outputWide, outputJSON}, output) {
				return fmt.Errorf("--output: %q is not supported: must be json or wide", output)
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			if everywhere {
				c.namespace = ""
			}
			found, err := c.status(command.Context(), args, time.Now())
			if err != nil {
				return err
			}
			if err := t.printStatus(found, output); err != nil {
				return err
			}
			if code := found.exitCode(); code != exitFine {
				return exit(code)
			}
			return nil
		},
		ValidArgsFunction: t.completeObjects,
	}
	command.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "Check all namespaces.")
	command.Flags().StringVarP(&output, "output", "o", outputPlain, "Output format: wide, json, or empty for a table.")
	complete(command, "output", outputWide, outputJSON)
	return command
}

// status checks all objects in a namespace (empty: all namespaces), or the objects that the
// arguments name.
func (c *cluster) status(ctx context.Context, args []string, now time.Time) (*report, error) {
	served, err := discover(ctx, c.discovery)
	if err != nil {
		return nil, err
	}
	found := &report{namespace: c.namespace, Findings: []*finding{}}
	// The kinds of an unavailable group are unknown, so its APIService is reported.
	wanted, err := targets(args, served.ours())
	if err != nil && len(served.ourFailed()) == 0 {
		return nil, err
	}
	listings := c.list(ctx, served.ours(), c.namespace)
	found.account(listings, c.namespace)
	v := newView(listings, now)
	objects := causes(v)
	c.addEvents(ctx, objects, now)
	missed, note := c.missingSecrets(ctx, v, c.namespace)
	if note != "" {
		found.Notes = append(found.Notes, note)
	}
	found.Notes = append(found.Notes, asides(v, wanted)...)
	objects = append(objects, missed...)
	sortFindings(objects)
	found.Objects = len(v.nodes)
	if len(args) > 0 && err == nil {
		if objects, found.Objects, err = c.only(wanted, objects, v); err != nil {
			return nil, err
		}
	}
	found.Findings = append(append(found.Findings, c.server(ctx, served)...), objects...)
	for _, version := range served.ourFailed() {
		found.NotAsked = append(found.NotAsked, fmt.Sprintf("the kinds of %s: its server does not respond", version))
	}
	found.Ready = len(found.Findings) == 0 && len(found.NotAsked) == 0
	return found, nil
}

// beyond reports whether a kind could not be listed because it is cluster-scoped and the caller has
// permissions only in a namespace.
func beyond(l *listing, namespace string) bool {
	return apierrors.IsForbidden(l.err) && !l.kind.Namespaced && namespace != metav1.NamespaceAll
}

// account records the kinds that could not be listed. It ignores cluster-scoped kinds if the caller
// has permissions only in the namespace.
func (r *report) account(listings []*listing, namespace string) {
	for _, l := range listings {
		switch {
		case l.cut:
			r.NotAsked = append(r.NotAsked, fmt.Sprintf("%s after the first %d: set a namespace with -n, and check each namespace",
				l.kind.fullName(), len(l.items)))
		case l.err == nil, beyond(l, namespace):
		default:
			r.NotAsked = append(r.NotAsked, oneLine(explain(l.err)))
		}
	}
}

// only keeps the findings about the named objects and what they wait for, and counts these objects.
func (c *cluster) only(wanted []target, findings []*finding, v *view) (kept []*finding, objects int, err error) {
	matches := func(n *node) bool {
		return slices.ContainsFunc(wanted, func(w target) bool { return w.matches(n) })
	}
	for _, w := range wanted {
		if w.name != "" && !slices.ContainsFunc(v.nodes, w.matches) && v.complete[w.kind.fullName()] {
			return nil, 0, errors.New(c.absence(w))
		}
	}
	for _, n := range v.nodes {
		if matches(n) {
			objects++
		}
	}
	kept = []*finding{}
	for _, f := range findings {
		if slices.ContainsFunc(f.nodes, matches) {
			kept = append(kept, f)
		}
	}
	return kept, objects, nil
}

// absence returns a message that an object does not exist, with the namespace.
func (c *cluster) absence(of target) string {
	switch {
	case !of.kind.Namespaced:
		return fmt.Sprintf("there is no %s %q", of.kind.Kind, of.name)
	case c.namespace == metav1.NamespaceAll:
		return fmt.Sprintf("there is no %s %q in any namespace", of.kind.Kind, of.name)
	}
	return fmt.Sprintf("there is no %s %q in namespace %q", of.kind.Kind, of.name, c.namespace)
}
