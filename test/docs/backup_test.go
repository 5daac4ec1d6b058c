// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// TestBackupList_NamesWhatCannotBeGenerated checks that the list of what to back up is complete.
func TestBackupList_NamesWhatCannotBeGenerated(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(page), "\n### Back up\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n### ")
	table, commands, found := strings.Cut(list, "```sh")
	require.True(t, found)
	for _, spec := range []keeper.Spec{encryption.Spec(nil, "", false)} {
		require.Contains(t, table, "Secret `"+spec.Name+"`")
		require.Contains(t, commands, "secret/"+spec.Name)
	}
	require.Contains(t, table, "ConfigMap `"+storeidentity.ConfigMapName+"`")
	require.Contains(t, commands, "configmap/"+storeidentity.ConfigMapName)
}
