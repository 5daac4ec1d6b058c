// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/version"
)

// Name is the name of the program, with which kubectl finds the plugin.
const Name = "kubectl-roadstead"

// displayName is the name of the command in messages.
const displayName = "kubectl roadstead"

// The exit codes of all commands except crdcheck, which has other exit codes.
const (
	exitFine     = 0
	exitNotReady = 1
	exitUnusable = 2
)

const long = `kubectl roadstead reports which objects are not ready and why, across all kinds of Roadstead that a cluster serves.

The flags of kubectl for the cluster and the credentials (kubectl options) can be used as well.

Exit codes: 0 everything is ready, 1 something is not ready or the time expired, 2 a request failed (one line on standard
error contains the reason). crdcheck has other exit codes.`

// exit is an error with an exit code only: the message has already been printed.
type exit int

// Error is never shown.
func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// tool is one run of the command.
type tool struct {
	streams genericiooptions.IOStreams
	flags   *genericclioptions.ConfigFlags
	// connect returns the cluster that the flags select; tests replace it.
	connect func() (*cluster, error)
}

// Execute runs the plugin with arguments, without the name of the program, and returns the exit code.
func Execute(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	t := newTool(streams)
	return t.execute(ctx, args)
}

func newTool(streams genericiooptions.IOStreams) *tool {
	t := &tool{streams: streams, flags: genericclioptions.NewConfigFlags(true)}
	t.connect = t.dial
	return t
}

func (t *tool) execute(ctx context.Context, args []string) int {
	command := t.command()
	command.SetArgs(append([]string{}, args...)) // nil would be the arguments of the process
	err := command.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &code):
		return int(code)
	}
	_, _ = fmt.Fprintf(t.streams.ErrOut, "%s: %s\n", displayName, oneLine(explain(err)))
	return exitUnusable
}

func (t *tool) command() *cobra.Command {
	root := &cobra.Command{
		Use:           Name,
		Short:         "Report which objects of Roadstead are not ready, and why",
		Long:          long,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: displayName},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(t.streams.In)
	root.SetOut(t.streams.Out)
	root.SetErr(t.streams.ErrOut)
	t.addConnectionFlags(root)
	for _, command := range []*cobra.Command{t.status(), t.tree(), t.wait(), t.decide(approve), t.decide(reject), t.crdcheck(), t.version()} {
		root.AddCommand(command)
	}
	t.completeFlags(root)
	return root
}

func (t *tool) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the plugin",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(t.streams.Out, "%s %s\n", Name, version.Get().GitVersion)
			return err
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// oneLine converts a text of several lines, which may be from an untrusted source, to one line for
// a table.
func oneLine(text string) string { return printable(strings.Join(strings.Fields(text), " ")) }
