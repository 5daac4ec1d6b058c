// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
	"roadstead.dev/roadstead/pkg/controllers/manager"
)

const root = "../.."

func TestCommittedPageIsFresh(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	fresh, err := render()
	require.NoError(t, err)
	require.Equal(t, string(fresh), string(committed), "%s is stale: go run ./hack/gendocs", page)
}

func TestPageIsTheSameEachTime(t *testing.T) {
	first, err := render()
	require.NoError(t, err)
	for range 5 {
		again, err := render()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
}

func TestEveryFlagOfTheCommandsIsOnThePage(t *testing.T) {
	rendered, err := render()
	require.NoError(t, err)
	for _, command := range append(storecmd.Commands(), options.NewCommand(), manager.NewCommand()) {
		seen := 0
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			seen++
			if !flag.Hidden && flag.Name != "help" {
				assert.Contains(t, string(rendered), "| `--"+flag.Name+"` |", command.Name())
			}
		})
		require.GreaterOrEqual(t, seen, 3, command.Name())
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"one\n  two":     "one two",
		"a|b":            `a\|b`,
		"<group>/<name>": "&lt;group&gt;/&lt;name&gt;",
		"":               "",
	} {
		assert.Equal(t, want, cell(text))
	}
}
