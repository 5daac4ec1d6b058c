// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// TestSetFromEnv_CobraFlags: the flags that Cobra adds cannot be set by a variable.
func TestSetFromEnv_CobraFlags(t *testing.T) {
	t.Setenv("ROADSTEAD_VERSION", "v1.2.3")
	t.Setenv("ROADSTEAD_HELP", "ask me")
	command := &cobra.Command{
		Use: "program", Version: "v1.0.0", SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error { return SetFromEnv(command.Flags()) },
	}
	command.SetArgs([]string{}) // nil would be the arguments of the process
	assert.NoError(t, command.Execute())
}
