// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

func TestParse_Keys(t *testing.T) {
	lister := Lister{Prefix: "/registry/roadstead.dev", Ignore: []string{"claims"}}
	for key, want := range map[string]storeidentity.InventoryObject{
		"g/domains/team/arena": {Group: "g", Resource: "domains", Namespace: "team", Name: "arena"},
		"g/operators/op":       {Group: "g", Resource: "operators", Name: "op"},
		"odd":                  {Name: "odd"},
		"g/domains/a/b/c":      {Name: "g/domains/a/b/c"},
	} {
		object, isObject, err := lister.parse(lister.Prefix + "/" + key)
		require.True(t, isObject, key)
		require.Equal(t, want, object, key)
		require.Equal(t, want.Group == "", err != nil, key)
	}
	for _, key := range []string{"__identity", "__store/epoch", "__store/tick", "claims/g/domains/abc"} {
		_, isObject, _ := lister.parse(lister.Prefix + "/" + key)
		require.False(t, isObject, key)
	}
}

func TestDecode_Invalid(t *testing.T) {
	for name, plain := range map[string]string{
		"empty": "", "text": "hello", "protobuf cut": "k8s\x00\x0a\xff", "without a name": `{"metadata":{"uid":"u"}}`,
		"without a UID": `{"metadata":{"name":"n"}}`, "protobuf without an object": "k8s\x00",
	} {
		_, err := decode([]byte(plain))
		require.Error(t, err, name)
	}
	metadata, err := decode([]byte(`{"metadata":{"name":"n","uid":"u"},"spec":{"any":[1]}}`))
	require.NoError(t, err)
	require.Equal(t, "n", metadata.Name)
}

func TestNextLimit_BoundsPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, maxPage).Draw(t, "limit")
		size := rapid.IntRange(0, 8<<20).Draw(t, "size of an object")
		next := nextLimit(limit, size*int(limit))
		require.Positive(t, next)
		require.LessOrEqual(t, next, min(maxPage, 2*limit))
		if next > 1 {
			require.LessOrEqual(t, next*int64(size), int64(pageBytes), "the next page of such objects fits")
		}
	})
}
