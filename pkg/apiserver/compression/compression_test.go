// SPDX-License-Identifier: Apache-2.0

package compression

import (
	"bytes"
	"compress/gzip"
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
	resource = schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}
	at       = value.DefaultContext("key")
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
				data := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(t, "data"), rapid.IntRange(1, 3*least).Draw(t, "times"))
				transformer := Transformers{Inner: inner}.TransformerForResource(resource)
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
	packed := pack(data)
	require.Greater(t, len(data), 3_000_000)
	require.Less(t, len(packed), 100_000)
}

func TestSmallValuesAreLeft(t *testing.T) {
	for size, packed := range map[int]bool{0: false, least - 1: false, least: true} {
		stored, err := Transformers{}.TransformerForResource(resource).TransformToStorage(t.Context(), make([]byte, size), at)
		require.NoError(t, err)
		require.Equal(t, packed, bytes.HasPrefix(stored, mark), "%d bytes", size)
	}
}

// TestWhatWasStoredFirstIsRead: definitions were gzipped before everything was compressed otherwise.
func TestWhatWasStoredFirstIsRead(t *testing.T) {
	stored := bytes.NewBuffer(bytes.Clone(gzipMark))
	writer := gzip.NewWriter(stored)
	_, err := writer.Write([]byte("a definition"))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	read, stale, err := Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(), stored.Bytes(), at)
	require.NoError(t, err)
	require.False(t, stale)
	require.Equal(t, "a definition", string(read))
	for _, damaged := range [][]byte{stored.Bytes()[:stored.Len()-1], append(bytes.Clone(gzipMark), "no gzip"...)} {
		_, _, err := Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(), damaged, at)
		require.ErrorContains(t, err, "a stored value is damaged")
	}
}

// TestPlainValuesAreStale: what was stored before is read, and written anew with the next update.
func TestPlainValuesAreStale(t *testing.T) {
	transformer := Transformers{}.TransformerForResource(resource)
	for _, old := range []string{"k8s\x00old", "k8s\x00" + strings.Repeat("old", least)} {
		read, stale, err := transformer.TransformFromStorage(t.Context(), []byte(old), at)
		require.NoError(t, err)
		require.Equal(t, len(old) >= least, stale, "a small one would be stored in the same way")
		require.Equal(t, old, string(read))
	}
}

func TestDamageIsAnError(t *testing.T) {
	transformer := Transformers{}.TransformerForResource(resource)
	stored, err := transformer.TransformToStorage(t.Context(), []byte(strings.Repeat("some data", least)), at)
	require.NoError(t, err)
	for _, damaged := range [][]byte{stored[:len(mark)], stored[:len(stored)-1], append(bytes.Clone(mark), "no frame"...)} {
		_, _, err := transformer.TransformFromStorage(t.Context(), damaged, at)
		require.ErrorContains(t, err, "a stored value is damaged")
	}
	encrypted := Transformers{Inner: reversing{}}.TransformerForResource(resource)
	_, _, err = encrypted.TransformFromStorage(t.Context(), stored, at)
	require.EqualError(t, err, "not encrypted", "what the inner one refuses is not read as plain")
}

// TestABombIsAnError: what somebody put into the store must not take all memory.
func TestABombIsAnError(t *testing.T) {
	packed := pack(make([]byte, maxPlain+1))
	_, _, err := Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(), packed, at)
	require.ErrorContains(t, err, "more than 64 MiB")
}
