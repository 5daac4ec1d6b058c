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

// verb is the subresource of a decision.
type verb string

const (
	approve verb = "approve"
	reject  verb = "reject"
)

// done returns the participle of the verb for messages.
func (v verb) done() string { return map[verb]string{approve: "approved", reject: "rejected"}[v] }

func (v verb) title() string { return strings.ToUpper(string(v[:1])) + string(v[1:]) }

const decideLong = `%s a pending Approval. The decision is recorded with your user name, the time and the reason.

The command first shows the Approval, with the digest that the decision is bound to. On a terminal it prompts for
confirmation, unless --yes is set. The user that requested an approval cannot approve it. To list pending Approvals, run:
kubectl get approvals

Exit codes: 0 the decision was recorded, 1 you did not confirm it, 2 an error occurred.`

// decide returns the command for one of the two decisions.
func (t *tool) decide(v verb) *cobra.Command {
	var reason string
	var yes bool
	command := &cobra.Command{
		Use:     string(v) + " NAME",
		Short:   v.title() + " a pending Approval",
		Long:    fmt.Sprintf(decideLong, v.title()),
		Example: fmt.Sprintf("  kubectl roadstead %s operatorversion-0a1b2c3d4e5f-breakingcrdchange --reason 'reviewed with the team'", v),
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if v == reject && strings.TrimSpace(reason) == "" {
				return errors.New("--reason is required to reject an Approval: it is shown to other users")
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			return t.decideOn(command.Context(), c, v, args[0], reason, yes)
		},
		ValidArgsFunction: t.completeDecisions,
	}
	command.Flags().StringVar(&reason, "reason", "", "Reason for the decision, which is recorded. Required to reject.")
	command.Flags().BoolVarP(&yes, "yes", "y", false, "Do not prompt for confirmation on a terminal.")
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
		return fmt.Errorf("get %s %q: %w", k.Kind, name, err)
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

// decidable returns the only kind that can be decided, or the kind that the argument names as
// KIND/NAME.
func decidable(served *catalog, arg string) (*kind, string, error) {
	kinds := deciding(served)
	kindName, name, named := strings.Cut(arg, "/")
	switch {
	case len(kinds) == 0:
		return nil, "", errors.New("this cluster serves no kind that can be approved or rejected")
	case named:
		k, err := choose(kindName, kinds)
		return k, name, err
	case len(kinds) > 1:
		return nil, "", fmt.Errorf("several kinds can be approved or rejected: specify KIND/%s, where KIND is one of %s", arg,
			strings.Join(fullNames(kinds), ", "))
	}
	return kinds[0], arg, nil
}

// deciding returns the kinds with both subresources. A kind with only one of them cannot be
// decided.
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

// describe prints the subject of a decision: the scalar fields of the spec, nested fields indented.
func describe(out io.Writer, k *kind, object *unstructured.Unstructured) {
	_, _ = fmt.Fprintf(out, "%s %s\n", k.Kind, object.GetName())
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	writeFields(out, spec, "  ", 0)
	if decision, found, _ := unstructured.NestedString(object.Object, "status", "decision"); found && decision != "" {
		_, _ = fmt.Fprintf(out, "  decision so far: %s\n", decision)
	}
}

// confirmed prompts for the word yes. An interrupt counts as no, because the read alone would not
// notice it.
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

// isTerminal reports whether the input is a terminal.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}
