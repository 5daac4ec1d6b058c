// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/controllers/release/operatorversion"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
)

// TestMain runs main in the child processes of the test, as in those of the program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.Argument {
		main()
	}
	os.Exit(m.Run())
}

func TestMain_IsTheChildOfItsSandbox(t *testing.T) {
	require.NoError(t, sandbox.New(sandbox.Options{Sample: operatorversion.RenderSample}).Test(t.Context()))
}
