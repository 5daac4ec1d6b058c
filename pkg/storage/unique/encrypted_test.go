// SPDX-License-Identifier: Apache-2.0

package unique_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

func TestRecords_AreEncryptedAndBoundToTheirPlace(t *testing.T) {
	s := newStore(t)
	transformers := func(first byte) *encryption.Transformers {
		seeds, err := encryption.NewTransformers([][]byte{bytes.Repeat([]byte{first}, encryption.SeedSize)}, func(schema.GroupResource) {})
		require.NoError(t, err)
		return seeds
	}
	s.Records.Transformer = transformers(1).TransformerForResource(unique.Resource)
	s.created(domain("a", "user@example.com"))
	raw, err := s.KV.Get(t.Context(), s.Records.Root(), clientv3.WithPrefix())
	require.NoError(t, err)
	require.Len(t, raw.Kvs, 1)
	require.NotContains(t, string(raw.Kvs[0].Value), "example.com")
	_, err = s.create(domain("b", "user@example.com"))
	requireTaken(t, err, referenceField, "user@example.com", "a")

	s.plant(s.reference("y"), string(raw.Kvs[0].Value))
	_, err = s.create(domain("b", "y"))
	require.ErrorContains(t, err, "read a claim", "a record that was moved cannot be read")
	s.Records.Transformer = transformers(2).TransformerForResource(unique.Resource)
	_, err = s.create(domain("b", "user@example.com"))
	require.ErrorIs(t, err, encryption.ErrUnknownSeed)
	require.Nil(t, s.read("b"))
}
