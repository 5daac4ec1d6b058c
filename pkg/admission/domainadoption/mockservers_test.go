// SPDX-License-Identifier: Apache-2.0

package domainadoption

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// TestMockServers: one of a foreign domain without own credentials needs the verb on domains, not on mockservers.
func TestMockServers(t *testing.T) {
	foreign := &takaro.MockServer{Spec: takaro.MockServerSpec{ExternalReferenceID: "someone"}}
	owned := foreign.DeepCopy()
	owned.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "mine"}
	ours := &takaro.MockServer{Spec: takaro.MockServerSpec{DomainRef: &takaro.LocalObjectReference{Name: "arena"}}}
	for name, tc := range map[string]struct {
		server  *takaro.MockServer
		allowed bool
		asked   bool
		err     string
	}{
		"of a Domain":      {server: ours},
		"own credentials":  {server: owned},
		"the installation": {server: foreign, asked: true, err: "spec.externalReferenceId"},
		"with the verb":    {server: foreign, asked: true, allowed: true},
	} {
		asked := false
		p := New()
		p.SetAuthorizer(authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
			asked = true
			require.Equal(t, []string{"adopt", "domains", "ns"}, []string{a.GetVerb(), a.GetResource(), a.GetNamespace()}, name)
			if tc.allowed {
				return authorizer.DecisionAllow, "", nil
			}
			return authorizer.DecisionNoOpinion, "", nil
		}))
		err := p.Validate(t.Context(), admission.NewAttributesRecord(tc.server, nil, schema.GroupVersionKind{}, "ns", "name",
			takaro.Resource("mockservers").WithVersion("v1alpha1"), "", admission.Create, nil, false, &user.DefaultInfo{}), nil)
		if tc.err == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, tc.err, name)
		}
		require.Equal(t, tc.asked, asked, name)
	}
}
