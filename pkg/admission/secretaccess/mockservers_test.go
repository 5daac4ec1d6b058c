// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

func TestMockServerReferences(t *testing.T) {
	ref := func(name string) *takaro.SecretKeyReference { return &takaro.SecretKeyReference{Name: name, Key: "k"} }
	server := &takaro.MockServer{}
	list := references[takaro.Resource("mockservers")]
	assert.Empty(t, list(server))
	server.Spec.Redis = &takaro.MockServerRedis{}
	assert.Empty(t, list(server))
	server.Spec.CredentialsSecretRef, server.Spec.CABundleSecretRef, server.Spec.Redis.PasswordSecretRef = ref("a"), ref("b"), ref("c")
	server.Spec.TakaroAPIURL, server.Spec.Redis.Host, server.Spec.Image = "https://takaro.test", "redis", "game:1"
	assert.Equal(t, []reference{
		{field: "spec.credentialsSecretRef", name: "a", key: "k", to: "https://takaro.test", with: []any{ref("b")}},
		{field: "spec.caBundleSecretRef", name: "b", key: "k"},
		{field: "spec.redis.passwordSecretRef", name: "c", key: "k", to: "redis:6379", with: []any{"", "game:1"}},
	}, list(server))
	assert.Empty(t, list(&takaro.Domain{}))
}
