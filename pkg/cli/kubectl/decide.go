// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// verb is a decision: the subresource by which it is made.
type verb string

const (
	approve verb = "approve"
	reject  verb = "reject"
)

// done is what is said when it was made.
func (v verb) done() string { return map[verb]string{approve: "approved", reject: "rejected"}[v] }

func (v verb) title() string { return strings.ToUpper(string(v[:1])) + string(v[1:]) }

const decideLong = `%s what waits for a decision, as yourself: it is recorded with your name, the time and the reason.

What is decided about is shown first, with the digest that the decision is bound to. On a terminal it asks once more, unless
--yes is given. Whoever asked for a decision cannot make it. The pending ones: kubectl get approvals

Exit codes: 0 it was decided, 1 you did not confirm it, 2 it was not possible.`

// decide is the command for one of the two decisions.
func (t *tool) decide(v verb) *cobra.Command {
	var reason string
	var yes bool
	command := &cobra.Command{
		Use:     string(v) + " NAME",
		Short:   v.title() + " what waits for a decision",
		Long:    fmt.Sprintf(decideLong, v.title()),
		Example: fmt.Sprintf("  kubectl roadstead %s operatorversion-0a1b2c3d4e5f-breakingcrdchange --reason 'looked at with the team'", v),
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if v == reject && strings.TrimSpace(reason) == "" {
				return errors.New("--reason is needed to reject: it is what the others get to read")
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			return t.decideOn(command.Context(), c, v, args[0], reason, yes)
		},
		ValidArgsFunction: t.completeDecisions,
	}
	command.Flags().StringVar(&reason, "reason", "", "Why; it is recorded. Needed to reject.")
	command.Flags().BoolVarP(&yes, "yes", "y", false, "Do not ask once more on a terminal.")
	complete(command, "reason")
	return command
}

func (t *tool) decideOn(ctx context.Context, c *cluster, v verb, arg, reason string, yes bool) error {
	served, err := discover(ctx, c.discovery)
	if err != nil {
		return err
	}
	k, name, err := decidable(served, arg)
	if err != nil {
		return err
	}
	resource := c.resourceOf(k)
	object, err := resource.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return errors.New(c.absence(target{kind: k, name: name}))
	}
	if err != nil {
		return fmt.Errorf("reading %s %q: %w", k.Kind, name, err)
	}
	describe(t.streams.Out, k, object)
	if !yes && isTerminal(t.streams.In) && !t.confirmed(ctx, v, k, name) {
		_, _ = fmt.Fprintln(t.streams.ErrOut, "Nothing was decided.")
		return exit(exitNotReady)
	}
	body := &unstructured.Unstructured{Object: map[string]any{"reason": reason}}
	body.SetGroupVersionKind(k.bodyOf(v))
	body.SetName(name)
	if _, err := resource.Create(ctx, body, metav1.CreateOptions{}, string(v)); err != nil {
		return fmt.Errorf("%s %q was not %s: %w", k.Kind, name, v.done(), err)
	}
	_, err = fmt.Fprintf(t.streams.Out, "%s %q is %s.\n", k.Kind, name, v.done())
	return err
}

func (c *cluster) resourceOf(k *kind) dynamic.ResourceInterface {
	if k.Namespaced {
		return c.objects.Resource(k.resource()).Namespace(c.namespace)
	}
	return c.objects.Resource(k.resource())
}

// decidable finds the kind that is there for decisions, or the one that the argument names as KIND/NAME.
func decidable(served *catalog, arg string) (*kind, string, error) {
	kinds := deciding(served)
	kindName, name, named := strings.Cut(arg, "/")
	switch {
	case len(kinds) == 0:
		return nil, "", errors.New("this cluster serves no kind that is approved or rejected")
	case named:
		k, err := choose(kindName, kinds)
		return k, name, err
	case len(kinds) > 1:
		return nil, "", fmt.Errorf("several kinds are approved or rejected here: give KIND/%s, KIND being one of %s", arg,
			strings.Join(fullNames(kinds), ", "))
	}
	return kinds[0], arg, nil
}

// deciding are the kinds that have both subresources. A kind with only one of them is not made for decisions.
func deciding(served *catalog) []*kind {
	var found []*kind
	for _, k := range served.ours() {
		_, approves := k.subresources[string(approve)]
		_, rejects := k.subresources[string(reject)]
		if approves && rejects {
			found = append(found, k)
		}
	}
	return found
}

// describe shows what a decision is about: the scalar fields of the spec, those of its parts indented.
func describe(out io.Writer, k *kind, object *unstructured.Unstructured) {
	_, _ = fmt.Fprintf(out, "%s %s\n", k.Kind, object.GetName())
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	writeFields(out, spec, "  ", 0)
	if decision, found, _ := unstructured.NestedString(object.Object, "status", "decision"); found && decision != "" {
		_, _ = fmt.Fprintf(out, "  decision so far: %s\n", decision)
	}
}

// confirmed asks for the word yes. An interrupt is a no: reading alone would not see it.
func (t *tool) confirmed(ctx context.Context, v verb, k *kind, name string) bool {
	_, _ = fmt.Fprintf(t.streams.ErrOut, "%s %s %q? Type yes: ", v.title(), k.Kind, name)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(t.streams.In).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		return strings.EqualFold(strings.TrimSpace(line), "yes")
	case <-ctx.Done():
		_, _ = fmt.Fprintln(t.streams.ErrOut)
		return false
	}
}

// isTerminal tells whether a person sits at the other end.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}
