// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/util/keeper"
)

func TestRequired_ByMark(t *testing.T) {
	first, second := seed(1), seed(2)
	marked := string(writtenBy(first))
	fingerprint := []string{keeper.Fingerprint(SecretName, first)}
	for name, tc := range map[string]struct {
		marked             string
		provider           bool
		secret, remembered [][]byte
		want               keeper.Required
	}{
		"no mark":                 {"", false, [][]byte{first}, nil, keeper.Required{}},
		"unknown mark":            {"a later version", false, [][]byte{first}, nil, keeper.Required{}},
		"first seed":              {marked, false, [][]byte{first, second}, nil, keeper.Required{Fingerprints: fingerprint, Only: true}},
		"second seed":             {marked, false, [][]byte{second, first}, nil, keeper.Required{Fingerprints: fingerprint}},
		"remembered seed":         {marked, false, [][]byte{second}, [][]byte{first}, keeper.Required{Fingerprints: fingerprint}},
		"unknown seed":            {marked, false, [][]byte{second}, nil, keeper.Required{Fingerprints: []string{name(first)}}},
		"provider":                {byProvider, true, [][]byte{first}, nil, keeper.Required{Only: true}},
		"provider of the past":    {byProvider, false, [][]byte{first}, nil, keeper.Required{}},
		"provider, not completed": {marked, true, [][]byte{first}, nil, keeper.Required{Fingerprints: fingerprint}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, required(tc.marked, tc.provider, tc.secret, tc.remembered))
		})
	}
}

func TestDependents_AnyObjectOrClaim(t *testing.T) {
	for key, want := range map[string]bool{
		"__identity": false, "__store/epoch": false, "__encryption": false,
		object: true, "claims/kind/value": true, "0group.roadstead.dev/things/name": true,
	} {
		exist, err := Spec(newMemoryKV(key, "__identity"), prefix, false).Dependents(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, exist, key)
	}
	other := newMemoryKV()
	other.keys["/registry/testing/users/name"] = "of another program"
	exist, err := Spec(other, prefix, false).Dependents(t.Context())
	require.NoError(t, err)
	assert.False(t, exist)
	other.breakWith(errors.New("etcd is unavailable"))
	_, err = Spec(other, prefix, false).Dependents(t.Context())
	assert.ErrorContains(t, err, "etcd is unavailable")
}
