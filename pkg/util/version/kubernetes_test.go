// SPDX-License-Identifier: Apache-2.0

package version

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/util/compatibility"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

func TestTheProcessGoesByTheLibraries(t *testing.T) {
	for _, registry := range []basecompatibility.ComponentGlobalsRegistry{compatibility.DefaultComponentGlobalsRegistry, NewRegistry()} {
		effective := registry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
		require.Equal(t, baseversion.DefaultKubeBinaryVersion, effective.EmulationVersion().String())
		require.Equal(t, baseversion.DefaultKubeBinaryVersion, effective.BinaryVersion().String())
		require.Empty(t, registry.Validate())
	}
}

// TestVersion_StampedProgram: the test needs a program that is linked with a version of Roadstead.
func TestVersion_StampedProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "stamped")
	build := exec.CommandContext(t.Context(), "go", "build", "-p", "2", "-ldflags",
		"-s -w -X k8s.io/component-base/version.gitVersion=v0.1.0", "-o", program, "./testdata/stamped")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.CommandContext(t.Context(), program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want := baseversion.DefaultKubeBinaryVersion
	assert.Equal(t, strings.Join([]string{"stamp v0.1.0", "process " + want, "server " + want, "libraries " + want, "comparison " + want,
		"features true true", ""}, "\n"), string(out))
}
