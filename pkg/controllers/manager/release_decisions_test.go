// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlagsOfDecisions(t *testing.T) {
	o, err := parse(t, "--namespace=x")
	require.NoError(t, err)
	assert.Equal(t, []any{24 * time.Hour, time.Duration(0), "Deny"}, []any{o.Decisions.ApprovalExpiry, o.Decisions.Retention,
		o.Decisions.CRDGuardPolicy})
	assert.True(t, o.runs(groupTakaro))
	assert.True(t, o.runs(groupRelease))
	o, err = parse(t, "--namespace=x", "--groups=release", "--crd-guard-policy=Warn")
	require.NoError(t, err)
	assert.False(t, o.runs(groupTakaro))
	assert.Less(t, len(o.counted()), len(NewOptions().counted()), "what is not served is not counted")
	for arg, says := range map[string]string{
		"--groups=":                "--groups: name at least one of takaro, release",
		"--groups=other":           `--groups: "other" is none of takaro, release`,
		"--approval-expiry=1s":     "--approval-expiry",
		"--approval-expiry=10000h": "--approval-expiry",
		"--retention=1m":           "--retention",
		"--crd-guard-policy=Off":   "--crd-guard-policy",
	} {
		_, err := parse(t, "--namespace=x", arg)
		assert.ErrorContains(t, err, says)
	}
}
