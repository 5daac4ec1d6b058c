// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func TestConclude_CountsGameServers(t *testing.T) {
	for replicas, want := range map[int32]string{
		0: "Takaro reaches 0 game servers", 1: "Takaro reaches 1 game server", 2: "Takaro reaches 2 game servers",
	} {
		server := named("one", "game")
		server.Spec.Replicas = ptr.To(replicas)
		conclude(server, nil)
		assert.Equal(t, want, readyOf(server.Status).Message)
		assert.Equal(t, v1alpha1.MockServerReady, server.Status.Phase)
	}
}
