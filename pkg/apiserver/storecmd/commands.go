// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"github.com/spf13/cobra"

	"roadstead.dev/roadstead/pkg/cli"
)

// Commands returns the subcommands of roadstead-apiserver for its store.
func Commands() []*cobra.Command {
	commands := []*cobra.Command{newAccept(), newBackup(), newRestore(), newDefrag()}
	for _, command := range commands {
		command.SilenceUsage, command.SilenceErrors = true, true
		command.Args = cobra.NoArgs
		command.PreRunE = func(command *cobra.Command, _ []string) error { return cli.SetFromEnv(command.Flags()) }
		// Without these a subcommand prints the help of the server, with all its flags.
		plain := &cobra.Command{}
		command.SetHelpFunc(plain.HelpFunc())
		command.SetUsageFunc(plain.UsageFunc())
	}
	return commands
}
