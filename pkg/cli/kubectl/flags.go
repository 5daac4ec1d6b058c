// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shownFlags are the flags of kubectl in the help; the others work as well.
var shownFlags = []string{"namespace", "context", "kubeconfig", "as", "request-timeout"}

// addConnectionFlags adds the flags of kubectl for the cluster and the credentials.
func (t *tool) addConnectionFlags(root *cobra.Command) {
	t.flags.CacheDir = nil // nothing is cached
	flags := root.PersistentFlags()
	t.flags.AddFlags(flags)
	flags.VisitAll(func(flag *pflag.Flag) {
		flag.Hidden = !slices.Contains(shownFlags, flag.Name)
	})
}
