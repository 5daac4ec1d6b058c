// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var ownFlags = []string{
	"allow-self-approval", "authorization-name-blind", "authorization-qps", "authorization-qps-per-caller",
	"controller-user", "crd-guard-live-budget", "crd-guard-policy", "data-dir", "dev",
	"log-format", "log-level", "namespace", "service-name",
}

// TestEveryUpstreamFlagIsOnOneList fails when an upgrade brings a flag: put it on the list of the allowed or, with the
// reason, of the refused ones.
func TestEveryUpstreamFlagIsOnOneList(t *testing.T) {
	all := map[string]bool{}
	for _, section := range New().upstream() {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		section.add(flags)
		flags.VisitAll(func(flag *pflag.Flag) { all[flag.Name] = true })
	}
	for name := range all {
		assert.NotEqual(t, allowedFlags.Has(name), refusedFlags[name] != "", "--%s must be on exactly one list", name)
	}
	for name := range allowedFlags {
		assert.True(t, all[name], "--%s is allowed, but there is no such flag any more", name)
	}
	for name := range refusedFlags {
		assert.True(t, all[name], "--%s is refused, but there is no such flag any more", name)
	}
}

func TestFlagsAreTheAllowedAndOurOwn(t *testing.T) {
	var served []string
	NewCommand().Flags().VisitAll(func(flag *pflag.Flag) {
		served = append(served, flag.Name)
		assert.NotEmpty(t, flag.Usage, "--%s", flag.Name)
	})
	require.ElementsMatch(t, append(allowedFlags.UnsortedList(), ownFlags...), served)
	require.Contains(t, NewCommand().Flags().Lookup("etcd-servers").Usage, `"embedded"`)
}
