// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/version"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Name is the name of the program.
const Name = "roadstead-crdcheck"

// The exit codes.
const (
	exitFine     = 0
	exitReview   = 1
	exitBreaks   = 2
	exitUnusable = 3
)

const long = `roadstead-crdcheck reports what a change of CustomResourceDefinitions breaks, for which clients and objects, and how to
correct it.

Inputs are YAML or JSON files (only the CustomResourceDefinitions in them are used), folders of such files, Helm charts
(packed, or a folder with a Chart.yaml), or - for standard input. From a chart it uses what Helm would install: the crds
folders, and what the templates render with the given values. The command downloads nothing, and does not access a
cluster without --live.

The verdict is the most severe one of the findings:

  REFUSED      X   the API server does not accept the change, or it must not be applied in this form
  DESTRUCTIVE  B!  data is lost, objects cannot be deleted, or an API is removed
  BREAKING     B   something that was valid is rejected, or can no longer be accessed
  REVIEW       R   nothing is rejected, but readers, defaults, ownership of fields or a rollback change
  SAFE         S   existing objects and clients are not broken
  OK           I   no change that requires an action

Exit codes:

  0  safe, or needs a review, without --strict
  1  needs a review, with --strict
  2  breaking, destructive or refused
  3  invalid input or flags; one line on standard error contains the reason

Every flag can also be set by an environment variable: --strict by ROADSTEAD_STRICT=true. A flag takes precedence.`

const examples = `  # Two files, two folders, or the version in git and the current file
  roadstead-crdcheck old.yaml new.yaml
  roadstead-crdcheck release-1.4/crds config/crd/bases
  git show main:crd.yaml | roadstead-crdcheck - crd.yaml

  # Two versions of a chart, with the values of an installation
  roadstead-crdcheck --chart operator-1.4.0.tgz operator-1.5.0.tgz -f values.yaml --set crds.install=true

  # Against a cluster and the objects in it
  roadstead-crdcheck --live config/crd/bases --context staging

  # Also check a rollback
  roadstead-crdcheck --reverse old.yaml new.yaml

  # In CI: also fail if a review is needed, or upload the findings to a code scanner
  roadstead-crdcheck --strict old/ new/
  roadstead-crdcheck --no-fail -o sarif old/ new/ > crdcheck.sarif

  # Explain a rule; list all rules
  roadstead-crdcheck explain CRD-101
  roadstead-crdcheck explain`

// tool is one run of the command.
type tool struct {
	options *Options
	stdin   io.Reader
	stdout  io.Writer
	verdict rules.Verdict
}

// Execute runs the command with arguments, without the name of the program, and returns the exit code.
func Execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	t := &tool{options: NewOptions(), stdin: stdin, stdout: stdout, verdict: rules.Informational}
	command := t.command()
	command.SetArgs(append([]string{}, args...)) // nil would be the arguments of the process
	command.SetIn(stdin)
	command.SetOut(stdout)
	command.SetErr(stderr)
	if err := command.ExecuteContext(ctx); err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %s\n", Name, strings.Join(strings.Fields(err.Error()), " "))
		return exitUnusable
	}
	return t.exitCode()
}

// NewCommand returns the command, for generated documentation.
func NewCommand() *cobra.Command {
	return (&tool{options: NewOptions()}).command()
}

func (t *tool) command() *cobra.Command {
	command := &cobra.Command{
		Use:               Name + " OLD NEW",
		Short:             "Report what a change of CustomResourceDefinitions breaks",
		Long:              long,
		Example:           examples,
		Version:           version.Get().GitVersion,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE: func(command *cobra.Command, inputs []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			if err := t.options.Validate(inputs); err != nil {
				return err
			}
			return t.run(command.Context(), inputs)
		},
	}
	command.Flags().SortFlags = false
	t.options.AddFlags(command.Flags())
	command.SetUsageTemplate(usage)
	command.AddCommand(explain())
	return command
}

func init() {
	cobra.AddTemplateFunc("flagsOf", flagUsages)
}

const usage = `Usage:
  roadstead-crdcheck OLD NEW [flags]
  roadstead-crdcheck --chart OLD NEW [flags]
  roadstead-crdcheck --live NEW... [flags]
  roadstead-crdcheck explain [CODE]

Examples:
{{.Root.Example}}

Flags:
{{flagsOf .Root | trimTrailingWhitespaces}}
`

// flagUsages omits that a boolean flag can have a value, because that hides the names.
func flagUsages(command *cobra.Command) string {
	const switched = "[=true|false]"
	return strings.ReplaceAll(command.LocalFlags().FlagUsagesWrapped(110), switched, strings.Repeat(" ", len(switched)))
}

func (t *tool) exitCode() int {
	switch {
	case t.options.NoFail:
		return exitFine
	case t.verdict.Breaks():
		return exitBreaks
	case t.verdict == rules.Review && t.options.Strict:
		return exitReview
	}
	return exitFine
}
