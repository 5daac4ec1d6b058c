// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
)

func TestDeletion_WithoutSecretEndsOnlyWhenTheNamespaceWasDeleted(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	namespaces := orphans.NewNamespaces(controller.Live, w.Clock)
	controller.Live = namespaces
	w.RequireNamespaceEnd(controllertest.NamespaceEnd{
		Namespaces: namespaces, Settle: func() { w.Settle(controller) }, Secret: credentials,
		Condition: v1alpha1.ConditionEndpointReady, Blocked: "False SecretNotFound",
	})
	assert.Len(t, w.Takaro.Domains(), 1, "it cannot be asked for any more")
}
