// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestUserReferences(t *testing.T) {
	list := references[takaro.Resource("users")]
	assert.Empty(t, list(&takaro.User{}))
	assert.Empty(t, list(&takaro.Domain{}))
	found := list(&takaro.User{Spec: takaro.UserSpec{PasswordSecretRef: &takaro.SecretKeyReference{Name: "mine", Key: "password"}}})
	if assert.Len(t, found, 1) {
		assert.Equal(t, []string{"spec.passwordSecretRef", "mine"}, []string{found[0].field, found[0].name})
	}
}
