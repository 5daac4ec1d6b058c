// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
)

func TestDeletion_WithoutSecretEndsOnlyWhenTheNamespaceWasDeleted(t *testing.T) {
	w := newWorld(t)
	namespaces := orphans.NewNamespaces(w.r.Live, w.Clock)
	w.r.Live = namespaces
	w.RequireNamespaceEnd(controllertest.NamespaceEnd{
		Namespaces: namespaces, Settle: func() { w.settle(w.play(0)) }, Secret: "admin",
		Condition: v1alpha1.ConditionReady, Blocked: "False DeletionBlocked",
	})
	assert.Len(t, w.names(), 1, "it cannot be asked for any more")
}
