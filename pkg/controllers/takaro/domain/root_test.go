// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

func TestWithLogin(t *testing.T) {
	bytes := func(of map[string]string) map[string][]byte {
		data := map[string][]byte{}
		for key, value := range of {
			data[key] = []byte(value)
		}
		return data
	}
	first := withLogin(nil, "a", []byte("root@a"), []byte("1"))
	assert.Equal(t, bytes(map[string]string{"domainId": "a", "username": "root@a", "password": "1"}), first)
	second := withLogin(first, "b", []byte("root@b"), []byte("2"))
	assert.Equal(t, bytes(map[string]string{
		"domainId": "b", "username": "root@b", "password": "2", "username.a": "root@a", "password.a": "1"}), second)
	again := withLogin(second, "a", []byte("root@a"), []byte("1"))
	assert.Equal(t, bytes(map[string]string{
		"domainId": "a", "username": "root@a", "password": "1", "username.b": "root@b", "password.b": "2"}), again)
	assert.Equal(t, bytes(map[string]string{"domainId": "a", "username": "root@a", "password": "1"}), first, "the argument is not changed")
}

// No login is ever lost, regardless of the order in which domains appear and return, and each key
// is a valid key of a Secret.
func TestNoLoginIsLost(t *testing.T) {
	ids := []string{"jolly-moons-feel", "a", "not/a key", strings.Repeat("x", 300)}
	rapid.Check(t, func(t *rapid.T) {
		var data map[string][]byte
		passwords := map[string]string{}
		for _, id := range rapid.SliceOfN(rapid.SampledFrom(ids), 1, 12).Draw(t, "ids") {
			if username, password, found := loginOf(data, id); found {
				data = withLogin(data, id, username, password)
			} else {
				passwords[id] = rapid.StringN(1, 8, 8).Draw(t, "password")
				data = withLogin(data, id, []byte("root@"+id), []byte(passwords[id]))
			}
			require.Equal(t, id, string(data[keyDomainID]))
			for id, want := range passwords {
				username, password, found := loginOf(data, id)
				require.True(t, found, id)
				require.Equal(t, []string{"root@" + id, want}, []string{string(username), string(password)})
			}
			for key := range data {
				require.Empty(t, validation.IsConfigMapKey(key), key)
			}
		}
	})
}
