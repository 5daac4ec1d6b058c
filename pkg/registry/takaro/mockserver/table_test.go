// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// Each column shows a value for an object with only the required fields.
func TestColumns(t *testing.T) {
	least := &takaro.MockServer{Spec: takaro.MockServerSpec{DomainRef: &takaro.LocalObjectReference{Name: "arena"}}}
	full := &takaro.MockServer{
		Spec: takaro.MockServerSpec{ExternalReferenceID: "guest", Image: "registry.example/mock:v1",
			Replicas: ptr.To[int32](3), TotalPlayers: ptr.To[int32](7)},
		Status: takaro.MockServerStatus{ReadyReplicas: 2, Reachable: 1, Phase: takaro.MockServerReady},
	}
	for name, want := range map[string][2]any{
		"Domain":    {"arena", "guest"},
		"Ready":     {"0/0", "2/3"},
		"Players":   {int64(0), int64(7)},
		"Reachable": {int64(0), int64(1)},
		"Phase":     {"", "Ready"},
		"Image":     {"(default)", "registry.example/mock:v1"},
	} {
		found := false
		for _, column := range columns {
			if column.Name == name {
				found = true
				assert.Equal(t, want, [2]any{column.Cell(least), column.Cell(full)}, name)
			}
		}
		assert.True(t, found, name)
	}
}
