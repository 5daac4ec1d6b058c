// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

// TestNamespaceNotServed: in a namespace in which the controller may not use Secrets, a User
// reports that and nothing is created. The User can be deleted.
func TestNamespaceNotServed(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.Domain){
		"own credentials":            func(*v1alpha1.Domain) {},
		"installation's credentials": func(d *v1alpha1.Domain) { d.Spec.CredentialsSecretRef = nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Add(controllertest.NewSecret(controllertest.System, "takaro", map[string]string{endpoint.Label: "true"},
				map[string]string{endpoint.KeyURL: w.Front.URL, endpoint.KeyAdminToken: w.Takaro.AdminToken()}))
			w.editDomain(change)
			w.SecretNamespaces = []string{controllertest.System}
			w.addUser()
			limited := w.controller(w.Store)
			w.Settle(limited)
			assert.Equal(t, "False NamespaceNotServed", w.Condition(v1alpha1.ConditionReady))
			assert.Contains(t, w.Message(v1alpha1.ConditionReady), `"`+controllertest.Namespace+`"`)
			assert.Empty(t, w.inTakaro())
			w.Delete()
			w.Settle(limited)
			assert.Nil(t, w.Object())
		})
	}
}
