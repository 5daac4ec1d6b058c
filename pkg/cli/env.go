// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix starts the names of environment variables that set flags.
const envPrefix = "ROADSTEAD_"

// EnvName returns the environment variable of a flag: --data-dir is ROADSTEAD_DATA_DIR.
func EnvName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// SetFromEnv sets every flag that was not given on the command line from its environment variable,
// if that is set. Call it after parsing: the command line takes precedence. It ignores --help and
// --version, which Cobra adds: a pod may have a ROADSTEAD_VERSION for another purpose.
func SetFromEnv(flags *pflag.FlagSet) error {
	var firstErr error
	flags.VisitAll(func(flag *pflag.Flag) {
		if _, byCobra := flag.Annotations[cobra.FlagSetByCobraAnnotation]; byCobra {
			return
		}
		value, ok := os.LookupEnv(EnvName(flag.Name))
		if flag.Changed || !ok || firstErr != nil {
			return
		}
		if err := flags.Set(flag.Name, value); err != nil {
			firstErr = fmt.Errorf("environment variable %s: %w", EnvName(flag.Name), err)
		}
	})
	return firstErr
}
