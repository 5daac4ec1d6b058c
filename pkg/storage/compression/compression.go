// SPDX-License-Identifier: Apache-2.0

// Package compression compresses stored objects: a CustomResourceDefinition of 3 MiB exceeds the
// limit of one request to etcd, and in most objects the field names in managedFields are the
// largest part.
package compression

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/storage/value"
)

// Prefixes of compressed values. No encoding of Kubernetes has such a prefix.
var (
	// mark is the prefix of a frame of Zstandard (RFC 8878).
	mark = []byte("roadstead:zstd:v1:")
	// gzipMark is the prefix of gzip, the format in which early versions stored CRDs.
	gzipMark = []byte("roadstead:gzip:v1:")
)

const (
	// least is the minimum size of a compressed value in bytes. Compression of smaller values has
	// no benefit.
	least = 256
	// maxPlain is the maximum size of a decompressed value in bytes. It is far above the limit of a
	// request.
	maxPlain = 64 << 20
	// window is the maximum distance of repetitions in bytes. Each encoder uses this amount of
	// memory.
	window = 1 << 20
)

// Transformers compress values before the inner transformers encrypt them: encrypted values cannot
// be compressed. Values that were stored without compression are read unchanged.
type Transformers struct {
	// Inner are applied to the compressed values; nil for none.
	Inner value.ResourceTransformers
}

// TransformerForResource implements value.ResourceTransformers.
func (t Transformers) TransformerForResource(resource schema.GroupResource) value.Transformer {
	if t.Inner == nil {
		return transformer{}
	}
	return transformer{t.Inner.TransformerForResource(resource)}
}

// transformer is the transformer of one resource; inner may be nil.
type transformer struct{ inner value.Transformer }

// TransformToStorage implements value.Write.
func (t transformer) TransformToStorage(ctx context.Context, data []byte, at value.Context) ([]byte, error) {
	packed := pack(data)
	if t.inner == nil {
		return packed, nil
	}
	return t.inner.TransformToStorage(ctx, packed, at)
}

// TransformFromStorage implements value.Read.
func (t transformer) TransformFromStorage(ctx context.Context, data []byte, at value.Context) (plain []byte, stale bool, err error) {
	plain = data
	if t.inner != nil {
		if plain, stale, err = t.inner.TransformFromStorage(ctx, data, at); err != nil {
			return nil, stale, err
		}
	}
	var packed []byte
	how := unpack
	switch {
	case bytes.HasPrefix(plain, mark):
		packed = plain[len(mark):]
	case bytes.HasPrefix(plain, gzipMark):
		packed, how = plain[len(gzipMark):], unpackGzip
	default:
		return plain, stale || len(plain) >= least, nil
	}
	plain, err = how(packed)
	return plain, stale, err
}

var encoder = sync.OnceValue(func() *zstd.Encoder {
	made, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderDictRaw(dictionaryID, dictionary))
	if err != nil {
		panic(err) // of constants
	}
	return made
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	// Zero: the concurrency is the number of processors.
	made, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderDictRaw(dictionaryID, dictionary))
	if err != nil {
		panic(err) // of constants
	}
	return made
})

// pack returns the compressed form of data. The same data always results in the same bytes, so that
// an update without a change is recognized.
func pack(data []byte) []byte {
	if len(data) < least {
		return data
	}
	return encoder().EncodeAll(data, slices.Clone(mark))
}

func unpack(packed []byte) ([]byte, error) {
	plain, err := decoder().DecodeAll(packed, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, tooLarge()
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return nil, errors.New("a stored value is compressed with a dictionary that this server does not have: a newer Roadstead stored it")
	case err != nil:
		return nil, fmt.Errorf("a stored value is damaged: %w", err)
	case len(plain) == 0:
		// An empty value is never stored.
		return nil, errors.New("a stored value is damaged: it is empty")
	}
	return plain, nil
}

func unpackGzip(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("a stored value is damaged: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(reader, maxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("a stored value is damaged: %w", err)
	}
	if len(plain) > maxPlain {
		return nil, tooLarge()
	}
	return plain, nil
}

func tooLarge() error {
	return fmt.Errorf("a stored value is larger than %d MiB after decompression", maxPlain>>20)
}
