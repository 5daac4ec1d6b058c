// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePlanOfASeedIsAlwaysTheSame(t *testing.T) {
	plan := func(seed string) string {
		var out strings.Builder
		require.NoError(t, chaos(t.Context(), []string{"--plan", "--seed", seed, "--time", "1m"}, &out))
		return out.String()
	}
	require.Equal(t, plan("7"), plan("7"))
	require.NotEqual(t, plan("7"), plan("8"))
	require.Contains(t, plan("7"), "seed 7, 1m0s, 3 clients")
}

func TestWrongFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--faults=flood": `fault "flood" is unknown`, "--time=1s": "6s or more", "--seed=x": "seed", "--clients=0": "a client or more",
	} {
		require.ErrorContains(t, chaos(t.Context(), []string{args}, &strings.Builder{}), want)
	}
}

func TestWithoutASeedThereIsOne(t *testing.T) {
	f, err := parse(nil)
	require.NoError(t, err)
	require.NotZero(t, f.seed)
	require.Equal(t, "bin", f.bin)
}
