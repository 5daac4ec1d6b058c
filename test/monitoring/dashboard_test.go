// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryPanelExplainsItself(t *testing.T) {
	board := loadDashboard(t)
	assert.Equal(t, "roadstead", board.UID)
	assert.Equal(t, "Roadstead", board.Title)
	ids, titles := map[int]string{}, map[string]bool{}
	shown := 0
	for _, one := range board.Panels {
		require.NotEmpty(t, one.Title, "panel %d", one.ID)
		assert.Emptyf(t, ids[one.ID], "panels %q and %q have the same id", ids[one.ID], one.Title)
		ids[one.ID] = one.Title
		assert.Falsef(t, titles[one.Title], "two panels are called %q", one.Title)
		titles[one.Title] = true
		if one.Type == "row" {
			continue
		}
		shown++
		assert.NotEmptyf(t, one.Description, "%q has no description", one.Title)
		assert.NotEmptyf(t, one.FieldConfig.Defaults.Unit, "%q has no unit", one.Title)
		assert.Equal(t, "${datasource}", one.Datasource.UID, one.Title)
		assert.NotEmpty(t, one.Targets, one.Title)
		for _, target := range one.Targets {
			assert.Equal(t, "${datasource}", target.Datasource.UID, one.Title)
		}
	}
	require.Greater(t, shown, 30, "the panels were found")
}

func TestPanelsDoNotOverlap(t *testing.T) {
	taken := map[[2]int]string{}
	for _, one := range loadDashboard(t).Panels {
		at := one.GridPos
		require.LessOrEqual(t, at.X+at.W, 24, one.Title)
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				require.Emptyf(t, taken[[2]int{x, y}], "%q lies on another panel", one.Title)
				taken[[2]int{x, y}] = one.Title
			}
		}
	}
}

func TestTheDashboardHasItsVariables(t *testing.T) {
	kinds := map[string]string{}
	for _, variable := range loadDashboard(t).Templating.List {
		kinds[variable.Name] = variable.Type
	}
	assert.Equal(t, map[string]string{"datasource": "datasource", "namespace": "query"}, kinds)
}

// TestNoQueryNamesANamespace checks that queries work for an installation in any namespace.
func TestNoQueryNamesANamespace(t *testing.T) {
	for asker, query := range queries(t) {
		for _, selector := range selectors(t, query) {
			for _, matcher := range selector.LabelMatchers {
				if matcher.Name == "namespace" {
					assert.Equal(t, ".*", matcher.Value, asker)
				}
			}
		}
	}
}
