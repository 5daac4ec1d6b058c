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

const statusLong = `Tell what is not ready, and why: one line for each cause, across all kinds of Roadstead.

An object that only waits for another one has no line of its own: it is counted at the object for which it waits, named
with -o wide. Objects that say the same share a line. Besides the objects themselves it looks at APIServices and at the server,
as far as you may, and at Secrets that objects name. With names, only those objects and what they wait for are shown.

Exit codes: 0 all is ready, 1 something is not, 2 something could not be asked.`

const statusExamples = `  # The namespace of the kubeconfig, another one, all of them
  kubectl roadstead status
  kubectl roadstead status -n team-a
  kubectl roadstead status -A

  # One object, with what it waits for; all objects of a kind
  kubectl roadstead status mockserver/busy
  kubectl roadstead status users.takaro.roadstead.dev

  # With phases, ages, and the names of all that wait; for programs
  kubectl roadstead status -o wide
  kubectl roadstead status -o json`

// The values of --output.
const (
	outputPlain = ""
	outputWide  = "wide"
	outputJSON  = "json"
)

// report is what status found.
type report struct {
	// Ready tells that there are no findings and that everything could be asked.
	Ready bool `json:"ready"`
	// Objects is how many were looked at.
	Objects  int        `json:"objects"`
	Findings []*finding `json:"findings"`
	// NotAsked tells what could not be asked, and so may not be ready.
	NotAsked []string `json:"notAsked,omitempty"`
	// Notes tell what else was not looked at.
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
		Short:   "Tell what is not ready, and why, across all kinds",
		Long:    statusLong,
		Example: statusExamples,
		RunE: func(command *cobra.Command, args []string) error {
			if !slices.Contains([]string{outputPlain, outputWide, outputJSON}, output) {
				return fmt.Errorf("--output: %q is none of json, wide", output)
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
	command.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "Look at all namespaces.")
	command.Flags().StringVarP(&output, "output", "o", outputPlain, "How to show it: wide, json, or empty for a plain table.")
	complete(command, "output", outputWide, outputJSON)
	return command
}

// status looks at everything in a namespace (empty: in all), or at what the arguments name.
func (c *cluster) status(ctx context.Context, args []string, now time.Time) (*report, error) {
	served, err := discover(ctx, c.discovery)
	if err != nil {
		return nil, err
	}
	found := &report{namespace: c.namespace, Findings: []*finding{}}
	// Without its kinds the names of a group that is away mean nothing: its APIService is what there is to say.
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
		found.NotAsked = append(found.NotAsked, fmt.Sprintf("the kinds of %s: its server does not answer", version))
	}
	found.Ready = len(found.Findings) == 0 && len(found.NotAsked) == 0
	return found, nil
}

// beyond tells whether a kind could not be listed only because it is in no namespace, and the caller has rights in one.
func beyond(l *listing, namespace string) bool {
	return apierrors.IsForbidden(l.err) && !l.kind.Namespaced && namespace != metav1.NamespaceAll
}

// account notes the kinds that could not be listed. Whoever looks at a namespace need not have rights beyond it, and is not
// told of what is not in it.
func (r *report) account(listings []*listing, namespace string) {
	for _, l := range listings {
		switch {
		case l.cut:
			r.NotAsked = append(r.NotAsked, fmt.Sprintf("%s beyond the first %d: name a namespace with -n, and check each one",
				l.kind.fullName(), len(l.items)))
		case l.err == nil, beyond(l, namespace):
		default:
			r.NotAsked = append(r.NotAsked, oneLine(explain(l.err)))
		}
	}
}

// only keeps what is about the named objects, themselves and what they wait for, and counts these objects.
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

// absence says that an object is not there, and where it was looked for.
func (c *cluster) absence(of target) string {
	switch {
	case !of.kind.Namespaced:
		return fmt.Sprintf("there is no %s %q", of.kind.Kind, of.name)
	case c.namespace == metav1.NamespaceAll:
		return fmt.Sprintf("there is no %s %q in any namespace", of.kind.Kind, of.name)
	}
	return fmt.Sprintf("there is no %s %q in namespace %q", of.kind.Kind, of.name, c.namespace)
}
