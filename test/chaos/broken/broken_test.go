// SPDX-License-Identifier: Apache-2.0

package broken

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/check"
)

// root is the root of the checkout, relative to this package.
const root = "../../.."

func TestEveryDefectIsStillAChangeOfTheProduct(t *testing.T) {
	rules := map[check.Rule]bool{}
	for _, defect := range Defects {
		require.NotEmpty(t, packages[defect.Program])
		requireChange(t, defect.Name, defect.Edits)
		rules[defect.Rule] = true
	}
	for _, rule := range []check.Rule{check.Lost, check.Twice, check.Left, check.NotReady, check.Foreign, check.Guard, check.Discarded} {
		require.True(t, rules[rule], "%s", rule)
	}
	for _, defect := range TestedDefects {
		requireChange(t, defect.Name, defect.Edits)
		require.DirExists(t, filepath.Join(root, defect.Package))
	}
}

// requireChange requires that the edits apply and that the result is valid Go.
func requireChange(t *testing.T, name string, edits []Edit) {
	t.Helper()
	changed, err := files(root, name, edits)
	require.NoError(t, err)
	for file, text := range changed {
		_, err := parser.ParseFile(token.NewFileSet(), file, text, parser.AllErrors)
		require.NoError(t, err, "%s", name)
	}
}

func TestADefectWhoseTextIsGoneIsAnError(t *testing.T) {
	defect := Defect{Name: "none", Edits: []Edit{{File: "go.mod", Old: "no such text"}}}
	_, err := files(root, defect.Name, defect.Edits)
	require.ErrorContains(t, err, "go.mod has 0 times")
	defect.Edits[0].File = "no-such-file"
	_, err = files(root, defect.Name, defect.Edits)
	require.Error(t, err)
}
