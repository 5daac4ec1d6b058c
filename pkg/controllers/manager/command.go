// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"github.com/spf13/cobra"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/uninstall"
)

// NewCommand returns the command roadstead-controller. It runs until its context is canceled.
func NewCommand() *cobra.Command {
	options := NewOptions()
	command := &cobra.Command{
		Use:   Name,
		Short: "Make real in Takaro what the Roadstead APIs hold",
		Long: "roadstead-controller makes real what is stored in the Roadstead APIs. Every flag can also be set in the\n" +
			"environment: --takaro-qps is ROADSTEAD_TAKARO_QPS. " + envTakaroURL + " and " + envTakaroToken + " make one Takaro\n" +
			"endpoint besides those in Secrets.",
		Version:       version.Get().GitVersion,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := cli.SetFromEnv(command.Flags()); err != nil {
				return err
			}
			if err := options.Validate(); err != nil {
				return err
			}
			if err := options.Logging.Apply(); err != nil {
				return err
			}
			ctrl.SetLogger(klog.Background())
			return options.Run(command.Context())
		},
	}
	options.AddFlags(command.Flags())
	command.AddCommand(Commands()...)
	return command
}

// Commands returns the subcommands of roadstead-controller.
func Commands() []*cobra.Command {
	return []*cobra.Command{uninstall.NewCommand(), newSweepCommand()}
}
