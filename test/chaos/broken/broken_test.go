// SPDX-License-Identifier: Apache-2.0

package broken

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/check"
)

// root is the checkout's, from here.
const root = "../../.."

func TestEveryDefectIsStillAChangeOfTheProduct(t *testing.T) {
	rules := map[check.Rule]bool{}
	for _, defect := range Defects {
		changed, err := defect.Files(root)
		require.NoError(t, err)
		require.NotEmpty(t, packages[defect.Program])
		for name, text := range changed {
			_, err := parser.ParseFile(token.NewFileSet(), name, text, parser.AllErrors)
			require.NoError(t, err)
		}
		rules[defect.Rule] = true
	}
	for _, rule := range []check.Rule{check.Lost, check.Twice, check.Left, check.NotReady, check.Foreign, check.Guard} {
		require.True(t, rules[rule], "%s", rule)
	}
}

func TestADefectWhoseTextIsGoneIsAnError(t *testing.T) {
	defect := Defect{Name: "none", Edits: []Edit{{File: "go.mod", Old: "no such text"}}}
	_, err := defect.Files(root)
	require.ErrorContains(t, err, "go.mod has 0 times")
	defect.Edits[0].File = "no-such-file"
	_, err = defect.Files(root)
	require.Error(t, err)
}
