// SPDX-License-Identifier: Apache-2.0

package compression

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
	"pgregory.net/rapid"
)

var (
	resource = schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}
	at       = value.DefaultContext("key")
)

// reversing stands for encryption: its output differs from its input.
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

// TestTheDictionaryIsFixed: stored values of installations refer to it.
func TestTheDictionaryIsFixed(t *testing.T) {
	require.Equal(t, "5baa365bb44ab0cb4a2e1c09a4a3cd44b03d18c06ba78c9d25416a994ce62208", fmt.Sprintf("%x", sha256.Sum256(dictionary)),
		"a changed dictionary damages what is stored: leave it, and see its comment for how to have another")
}

// TestFramesWithoutDictionaryAreRead: early versions stored such frames.
func TestFramesWithoutDictionaryAreRead(t *testing.T) {
	plain, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	text := strings.Repeat("some data", least)
	read, stale, err := Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(),
		plain.EncodeAll([]byte(text), bytes.Clone(mark)), at)
	require.NoError(t, err)
	require.False(t, stale)
	require.Equal(t, text, string(read))
}

func TestAnUnknownDictionaryIsNoDamage(t *testing.T) {
	other, err := zstd.NewWriter(nil, zstd.WithEncoderDictRaw(dictionaryID+1, dictionary))
	require.NoError(t, err)
	stored := other.EncodeAll([]byte(strings.Repeat("some data", least)), bytes.Clone(mark))
	_, _, err = Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(), stored, at)
	require.ErrorContains(t, err, "a newer Roadstead stored it")
}

// TestPack_IsDeterministic: an update without a change must be recognized, whatever was compressed
// before.
func TestPack_IsDeterministic(t *testing.T) {
	const lines = 40
	text := strings.SplitAfterN(string(dictionary), "\n", lines)
	value := rapid.Custom(func(t *rapid.T) []byte {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(text), rapid.String()), 0, lines).Draw(t, "parts")
		return bytes.Repeat([]byte(strings.Join(parts, "")), rapid.IntRange(1, 100).Draw(t, "times"))
	})
	rapid.Check(t, func(t *rapid.T) {
		first := value.Draw(t, "first")
		packed := pack(first)
		pack(value.Draw(t, "between"))
		require.True(t, bytes.Equal(packed, pack(first)))
	})
}

func TestSmallValuesAreLeft(t *testing.T) {
	for size, packed := range map[int]bool{0: false, least - 1: false, least: true} {
		stored, err := Transformers{}.TransformerForResource(resource).TransformToStorage(t.Context(), make([]byte, size), at)
		require.NoError(t, err)
		require.Equal(t, packed, bytes.HasPrefix(stored, mark), "%d bytes", size)
	}
}

// TestGzipIsRead: early versions stored CRDs with gzip.
func TestGzipIsRead(t *testing.T) {
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

// TestPlainValuesAreStale: uncompressed values are read, and compressed by the next update.
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

// TestDecompression_LimitsSize: a manipulated value must not use up the memory.
func TestDecompression_LimitsSize(t *testing.T) {
	packed := pack(make([]byte, maxPlain+1))
	_, _, err := Transformers{}.TransformerForResource(resource).TransformFromStorage(t.Context(), packed, at)
	require.ErrorContains(t, err, "larger than 64 MiB")
}
