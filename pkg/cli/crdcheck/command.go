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

// Name is that of the program.
const Name = "roadstead-crdcheck"

// The exit codes.
const (
	exitFine     = 0
	exitReview   = 1
	exitBreaks   = 2
	exitUnusable = 3
)

const long = `roadstead-crdcheck tells what a change of CustomResourceDefinitions breaks, for whom, and what to do about it.

Inputs are files of YAML or JSON (everything but CustomResourceDefinitions in them is passed over), folders of such
files, Helm charts (packed, or a folder with a Chart.yaml), or - for standard input. Of a chart it takes what Helm would
bring into a cluster: the crds folders, and what the templates render with the given values. Nothing is fetched, and no
cluster is asked unless --live is given.

The verdict is the worst of the findings:

  REFUSED      X   the API server does not accept it, or it must not be applied like this
  DESTRUCTIVE  B!  data is lost, objects cannot be deleted, or an API vanishes
  BREAKING     B   something that was valid is rejected, or cannot be reached
  REVIEW       R   nothing is rejected, but readers, defaults, ownership of fields or a rollback change
  SAFE         S   no harm going forward
  OK           I   nothing changed that anybody has to act on

Exit codes:

  0  safe, or to be reviewed without --strict
  1  to be reviewed, with --strict
  2  breaking, destructive or refused
  3  the input or the flags cannot be used; one line on standard error says why

Every flag can also be given by the environment: --strict by ROADSTEAD_STRICT=true. A flag wins.`

const examples = `  # Two files, two folders, or what git has against what is there
  roadstead-crdcheck old.yaml new.yaml
  roadstead-crdcheck release-1.4/crds config/crd/bases
  git show main:crd.yaml | roadstead-crdcheck - crd.yaml

  # Two versions of a chart, with the values of an installation
  roadstead-crdcheck --chart operator-1.4.0.tgz operator-1.5.0.tgz -f values.yaml --set crds.install=true

  # Against a cluster and the objects in it
  roadstead-crdcheck --live config/crd/bases --context staging

  # The way back as well
  roadstead-crdcheck --reverse old.yaml new.yaml

  # In CI: fail on what has to be reviewed, too, or hand the findings to a code scanner
  roadstead-crdcheck --strict old/ new/
  roadstead-crdcheck --no-fail -o sarif old/ new/ > crdcheck.sarif

  # What a rule means; all rules
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

// NewCommand returns the command for those who document it.
func NewCommand() *cobra.Command {
	return (&tool{options: NewOptions()}).command()
}

func (t *tool) command() *cobra.Command {
	command := &cobra.Command{
		Use:               Name + " OLD NEW",
		Short:             "Tell what a change of CustomResourceDefinitions breaks",
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

// flagUsages leaves out that a switch can be given a value: it only hides the names.
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
