// SPDX-License-Identifier: Apache-2.0

//go:build !race

package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/controllers/release/operatorversion"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/sandbox"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
)

func resident(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int
	_, err = fmt.Sscan(string(content), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize()
}

// TestCharts_CostTheControllerNoMemory renders charts of some hundred bytes whose unpacked or
// rendered content exceeds the memory of the controller. It does not run with the race detector,
// whose own memory use would distort the measurement.
func TestCharts_CostTheControllerNoMemory(t *testing.T) {
	confined := sandbox.New(sandbox.Options{Timeout: 20 * time.Second, Sample: operatorversion.RenderSample})
	require.NoError(t, confined.Test(t.Context()))
	seat, err := confined.Reserve(t.Context(), "tenant")
	require.NoError(t, err)
	defer seat.Leave()
	for _, test := range []struct {
		name, template string
		kind           sandbox.Kind
	}{
		{"one long text", `{{ repeat 300000000 "x" }}`, sandbox.KindOutOfMemory},
		{"many texts", `{{ range until 1000 }}{{ repeat 1000000 "x" }}{{ end }}`, sandbox.KindOutOfMemory},
		{"loops in loops", `{{ range until 300 }}{{ range until 20000 }}{{ range until 20000 }}{{ end }}{{ end }}{{ end }}`, sandbox.KindTooSlow},
	} {
		t.Run(test.name, func(t *testing.T) {
			packed, err := chartrepo.Pack(chartrepo.Chart{Name: "bomb", Version: "1.0.0",
				Files: map[string]string{"templates/a.yaml": test.template}})
			require.NoError(t, err)
			before := resident(t)
			_, err = seat.Run(t.Context(), operatorversion.ChartHandler, map[string]any{
				"archive": repository.Archive{Name: "bomb", Version: "1.0.0", Packed: packed}, "with": []map[string]any{{"name": "spec.values"}},
			}, nil)
			assert.Equal(t, test.kind, sandbox.KindOf(err), err)
			grown := resident(t) - before
			t.Logf("the controller grew by %d KiB for an archive of %d bytes", grown>>10, len(packed))
			assert.Less(t, grown, 20<<20)
		})
	}
}
