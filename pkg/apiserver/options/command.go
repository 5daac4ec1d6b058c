// SPDX-License-Identifier: Apache-2.0

package options

import (
	"github.com/spf13/cobra"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/term"
	baseversion "k8s.io/component-base/version"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/util/version"
)

func init() { legacyregistry.Registerer().MustRegister(version.NewCollector()) }

// NewCommand returns the command roadstead-apiserver. It runs until its context ends.
func NewCommand() *cobra.Command {
	options := New()
	command := &cobra.Command{
		Use:   apiserver.Name,
		Short: "Serve the Roadstead APIs behind the cluster's aggregation layer",
		Long: "roadstead-apiserver is an aggregated API server for the API groups of Roadstead, such as takaro.roadstead.dev, with\n" +
			"its own storage. Every flag can also be set by an environment variable: --data-dir by ROADSTEAD_DATA_DIR.",
		Version:       baseversion.Get().GitVersion,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			if err := options.ServerRun.ComponentGlobalsRegistry.Set(); err != nil {
				return err
			}
			completed := options.Complete()
			if err := completed.Validate(); err != nil {
				return err
			}
			if err := options.Logging.Apply(); err != nil {
				return err
			}
			return completed.Run(command.Context())
		},
	}
	sections := options.Flags()
	for _, section := range sections.FlagSets {
		command.Flags().AddFlagSet(section)
	}
	columns, _, _ := term.TerminalSize(command.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(command, sections, columns)
	return command
}
