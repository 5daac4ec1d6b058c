// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExamples(t *testing.T) {
	const page = "# A page\n\n```yaml\napiVersion: v1\nkind: Secret\n```\n\n```yaml\napiVersion: " +
		"takaro.roadstead.dev/v1alpha1\nkind: Domain\n```\n\n" +
		"1. In a list:\n\n   ```yaml\n   apiVersion: v1\n   kind: Namespace\n   ---\n   apiVersion: takaro.roadstead.dev/v1alpha1\n   " +
		"spec:\n     name: x\n   ```\n\n" +
		"```sh\napiVersion: takaro.roadstead.dev/v1alpha1\n```\n"
	assert.Equal(t, []string{
		"apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\n",
		"apiVersion: v1\nkind: Namespace\n---\napiVersion: takaro.roadstead.dev/v1alpha1\nspec:\n  name: x\n",
	}, Examples(page))
	assert.Empty(t, Examples("no block"))
}
