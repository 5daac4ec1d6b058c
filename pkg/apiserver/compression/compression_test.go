// SPDX-License-Identifier: Apache-2.0

package compression

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"pgregory.net/rapid"
)

var (
	large = schema.GroupResource{Group: "release.roadstead.dev", Resource: "crdschemas"}
	small = schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}
	at    = value.DefaultContext("key")
)

// reversing stands for encryption: what it was given cannot be taken for what it gives.
type reversing struct{ stale bool }

func (reversing) TransformerForResource(schema.GroupResource) value.Transformer { return reversing{} }

func reversed(data []byte) []byte {
	result := make([]byte, len(data))
	for i, b := range data {
		result[len(data)-1-i] = b
	}
	return append([]byte("enc:"), result...)
}

func (reversing) TransformToStorage(_ context.Context, data []byte, _ value.Context) ([]byte, error) {
	return reversed(data), nil
}

func (r reversing) TransformFromStorage(_ context.Context, data []byte, _ value.Context) ([]byte, bool, error) {
	inner, found := bytes.CutPrefix(data, []byte("enc:"))
	if !found {
		return nil, false, errors.New("not encrypted")
	}
	return reversed(inner)[len("enc:"):], r.stale, nil
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for name, inner := range map[string]value.ResourceTransformers{"plain": nil, "encrypted": reversing{}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
				transformer := Transformers{Inner: inner, Resources: []schema.GroupResource{large}}.TransformerForResource(large)
				stored, err := transformer.TransformToStorage(context.Background(), data, at)
				require.NoError(t, err)
				again, err := transformer.TransformToStorage(context.Background(), data, at)
				require.NoError(t, err)
				require.Equal(t, stored, again, "an update that changes nothing writes nothing")
				read, stale, err := transformer.TransformFromStorage(context.Background(), stored, at)
				require.NoError(t, err)
				require.False(t, stale)
				require.True(t, bytes.Equal(data, read))
			})
		})
	}
}

func TestLargeObjectsBecomeSmall(t *testing.T) {
	data := []byte(strings.Repeat(`{"type":"object","description":"one of many fields"},`, 60000))
	packed, err := Pack(data)
	require.NoError(t, err)
	require.Greater(t, len(data), 3_000_000)
	require.Less(t, len(packed), 100_000)
}

func TestOtherResourcesAreLeft(t *testing.T) {
	all := Transformers{Inner: reversing{}, Resources: []schema.GroupResource{large}}
	require.Equal(t, reversing{}, all.TransformerForResource(small))
	require.Nil(t, Transformers{Resources: []schema.GroupResource{large}}.TransformerForResource(small))
}

// TestPlainValuesAreStale: what was stored before is read, and written anew with the next update.
func TestPlainValuesAreStale(t *testing.T) {
	transformer := Transformers{Resources: []schema.GroupResource{large}}.TransformerForResource(large)
	read, stale, err := transformer.TransformFromStorage(t.Context(), []byte("k8s\x00old"), at)
	require.NoError(t, err)
	require.True(t, stale)
	require.Equal(t, "k8s\x00old", string(read))
}

func TestDamageIsAnError(t *testing.T) {
	transformer := Transformers{Resources: []schema.GroupResource{large}}.TransformerForResource(large)
	stored, err := transformer.TransformToStorage(t.Context(), []byte("some data"), at)
	require.NoError(t, err)
	for _, damaged := range [][]byte{stored[:len(mark)], stored[:len(stored)-1], append(bytes.Clone(mark), "no gzip"...)} {
		_, _, err := transformer.TransformFromStorage(t.Context(), damaged, at)
		require.ErrorContains(t, err, "a stored value is damaged")
	}
	encrypted := Transformers{Inner: reversing{}, Resources: []schema.GroupResource{large}}.TransformerForResource(large)
	_, _, err = encrypted.TransformFromStorage(t.Context(), stored, at)
	require.EqualError(t, err, "not encrypted", "what the inner one refuses is not read as plain")
}

// TestABombIsAnError: what somebody put into the store must not take all memory.
func TestABombIsAnError(t *testing.T) {
	packed, err := Pack(make([]byte, maxPlain+1))
	require.NoError(t, err)
	_, _, err = Transformers{Resources: []schema.GroupResource{large}}.TransformerForResource(large).TransformFromStorage(t.Context(), packed, at)
	require.ErrorContains(t, err, "more than 64 MiB")
}
