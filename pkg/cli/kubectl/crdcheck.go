// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roadstead.dev/roadstead/pkg/cli/crdcheck"
)

// crdcheck runs roadstead-crdcheck, with its flags, help and exit codes.
func (t *tool) crdcheck() *cobra.Command {
	return &cobra.Command{
		Use:                "crdcheck OLD NEW",
		Short:              "Report what a change of CustomResourceDefinitions breaks; the same as " + crdcheck.Name,
		Example:            "  kubectl roadstead crdcheck old.yaml new.yaml\n  kubectl roadstead crdcheck --live config/crd/bases",
		DisableFlagParsing: true,
		RunE: func(command *cobra.Command, args []string) error {
			if code := crdcheck.Execute(command.Context(), args, t.streams.In, t.streams.Out, t.streams.ErrOut); code != exitFine {
				return exit(code)
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if !strings.HasPrefix(toComplete, "-") {
				return nil, cobra.ShellCompDirectiveDefault
			}
			var flags []cobra.Completion
			crdcheck.NewCommand().Flags().VisitAll(func(flag *pflag.Flag) {
				flags = append(flags, cobra.CompletionWithDesc("--"+flag.Name, flag.Usage))
			})
			return flags, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
