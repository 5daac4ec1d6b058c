// SPDX-License-Identifier: Apache-2.0

package domainadoption

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// A MockServer of a foreign domain needs the verb on domains, not on mockservers.
func TestValidate_MockServers(t *testing.T) {
	foreign := &takaro.MockServer{Spec: takaro.MockServerSpec{ExternalReferenceID: "someone"}}
	owned := foreign.DeepCopy()
	owned.Spec.CredentialsSecretRef = &takaro.SecretKeyReference{Name: "mine"}
	ours := &takaro.MockServer{Spec: takaro.MockServerSpec{DomainRef: &takaro.LocalObjectReference{Name: "arena"}}}
	for name, c := range map[string]struct {
		obj, old *takaro.MockServer
		may      string
		asked    []string
		err      string
	}{
		"of a Domain":     {obj: ours},
		"own credentials": {obj: owned, may: getMine, asked: []string{adoptDomains, getMine}},
		"others' Secret": {obj: owned,
			asked: []string{adoptDomains, getMine}, err: `spec.externalReferenceId: request the RBAC verb "get" on Secret "mine"`},
		"the installation": {obj: foreign,
			asked: []string{adoptDomains}, err: "spec.externalReferenceId: set spec.credentialsSecretRef"},
		"with the verb":       {obj: foreign, may: adoptDomains, asked: []string{adoptDomains}},
		"as before":           {obj: foreign, old: foreign},
		"credentials dropped": {obj: foreign, old: owned, asked: []string{adoptDomains}, err: "spec.externalReferenceId"},
	} {
		r := request{resource: takaro.Resource("mockservers"), obj: c.obj, may: c.may}
		if c.old != nil {
			r.old = c.old
		}
		asked, err := review(t, r)
		require.Equal(t, c.asked, asked, name)
		requireError(t, c.err, err)
	}
}
