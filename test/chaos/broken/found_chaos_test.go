// SPDX-License-Identifier: Apache-2.0

//go:build chaos

package broken

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/run"
	"roadstead.dev/roadstead/test/chaos/world"
)

// settle is short because a permanent defect prevents the run from settling.
const settle = 30 * time.Second

// TestEveryDefectIsFound runs each defective build and requires that the run reports the invariant
// that the defect violates.
func TestEveryDefectIsFound(t *testing.T) {
	root, err := filepath.Abs(root)
	require.NoError(t, err)
	// The command also runs in the root of the checkout.
	t.Chdir(root)
	for _, defect := range Defects {
		t.Run(defect.Name, func(t *testing.T) {
			bin, err := defect.Build(t.Context(), root, filepath.Join(root, "bin"), t.TempDir())
			require.NoError(t, err)
			dir := t.TempDir()
			log, err := os.Create(filepath.Join(dir, "chaos.log"))
			require.NoError(t, err)
			defer func() { _ = log.Close() }()
			begin := time.Now()
			found, err := run.Run(t.Context(), run.Options{
				Plan:  plan.Options{Seed: defect.Seed, Length: length, Clients: 3, Faults: defect.Faults},
				World: world.Options{Dir: dir, BinDir: bin, Out: log}, Settle: settle,
			})
			if !slices.ContainsFunc(found, func(v check.Violation) bool { return v.Rule == defect.Rule }) {
				_, _ = log.Seek(0, io.SeekStart)
				text, _ := io.ReadAll(log)
				t.Fatalf("the defect %q was not found as %s, but %v (%v); the log of the run:\n%s", defect.Name, defect.Rule, found, err, text)
			}
			for _, v := range found[:min(len(found), 3)] {
				t.Log(v)
			}
			t.Logf("%d violations, after %s", len(found), time.Since(begin).Round(time.Second))
		})
	}
}

// TestEveryTestedDefectIsFound runs the tests of the packages with each defect and requires that
// they fail.
func TestEveryTestedDefectIsFound(t *testing.T) {
	root, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, defect := range TestedDefects {
		t.Run(defect.Name, func(t *testing.T) {
			require.ErrorIs(t, defect.Test(t.Context(), root, t.TempDir()), errFound)
		})
	}
}
