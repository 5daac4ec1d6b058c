// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

// TestNamespaceNotServed: in a namespace in which the controller may not use Secrets, a Domain
// reports that and nothing is created.
func TestNamespaceNotServed(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.Domain){
		"own credentials":            func(*v1alpha1.Domain) {},
		"installation's credentials": func(d *v1alpha1.Domain) { d.Spec.CredentialsSecretRef = nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Add(controllertest.NewSecret(controllertest.System, "takaro", map[string]string{endpoint.Label: "true"},
				map[string]string{endpoint.KeyURL: w.Front.URL, endpoint.KeyAdminToken: w.Takaro.AdminToken()}))
			w.SecretNamespaces = []string{controllertest.System}
			w.addDomain(change)
			limited := w.controller(w.Store)
			w.Settle(limited)
			assert.Equal(t, "False NamespaceNotServed", w.Condition(v1alpha1.ConditionReady))
			assert.Contains(t, w.Message(v1alpha1.ConditionReady), `"`+controllertest.Namespace+`"`)
			assert.Contains(t, w.Message(v1alpha1.ConditionReady), "--secret-namespaces")
			assert.Equal(t, v1alpha1.DomainError, w.Object().Status.Phase)
			assert.Empty(t, w.Takaro.Domains())
			before := w.Object().ResourceVersion
			result := w.Once(limited)
			assert.True(t, result.IsZero(), "the controller is restarted when that changes")
			assert.Equal(t, before, w.Object().ResourceVersion)

			w.SecretNamespaces = nil
			w.Settle(w.controller(w.Store))
			assert.Equal(t, "True", w.Condition(v1alpha1.ConditionReady)[:4])
			assert.Len(t, w.Takaro.Domains(), 1)
		})
	}
}

func TestNamespaceNotServed_Deletion(t *testing.T) {
	for name, c := range map[string]struct {
		// served is set if the namespace was served before.
		served  bool
		deleted bool
	}{
		"never served":     {false, true},
		"no longer served": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addDomain()
			if c.served {
				w.Settle(w.controller(w.Store))
				require.Len(t, w.Takaro.Domains(), 1)
			}
			w.SecretNamespaces = []string{controllertest.System}
			limited := w.controller(w.Store)
			w.Settle(limited)
			w.Delete()
			w.Settle(limited)
			if c.deleted {
				assert.Nil(t, w.Object())
				return
			}
			require.NotNil(t, w.Object(), "it cannot be deleted in Takaro")
			assert.Contains(t, w.Message(v1alpha1.ConditionReady), "--secret-namespaces")
			w.SecretNamespaces = nil
			w.Settle(w.controller(w.Store))
			assert.Nil(t, w.Object())
			assert.Empty(t, w.Takaro.Domains())
		})
	}
}
