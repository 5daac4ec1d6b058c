// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPool_BoundsHold shows that no order of takes and puts exceeds the limit or a share, and that
// nothing is left of callers who have returned everything.
func TestPool_BoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPool(rapid.Int64Range(0, 20).Draw(t, "limit"), rapid.Int64Range(0, 20).Draw(t, "share"))
		type one struct {
			caller caller
			n      int64
		}
		var held []one
		total, shares := int64(0), map[caller]int64{}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				c := rapid.SampledFrom([]caller{{name: "a"}, {name: "b"}, {name: "master", privileged: true}}).Draw(t, "caller")
				n := rapid.Int64Range(1, 8).Draw(t, "n")
				fits := total+n <= p.limit && (c.privileged || shares[c]+n <= p.share)
				if p.take(c, n) != fits {
					t.Fatalf("take of %d by %v: must be %t", n, c, fits)
				}
				if fits {
					held, total, shares[c] = append(held, one{c, n}), total+n, shares[c]+n
				}
			},
			"put": func(t *rapid.T) {
				if len(held) == 0 {
					return
				}
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				p.put(held[i].caller, held[i].n)
				total, shares[held[i].caller] = total-held[i].n, shares[held[i].caller]-held[i].n
				held = append(held[:i], held[i+1:]...)
			},
			"": func(t *rapid.T) {
				if taken, _ := p.used(); taken != total {
					t.Fatalf("taken is %d, must be %d", taken, total)
				}
			},
		})
		for _, one := range held {
			p.put(one.caller, one.n)
		}
		if taken, callers := p.used(); taken != 0 || callers != 0 {
			t.Fatalf("left: %d of %d callers", taken, callers)
		}
	})
}

func TestReceive_IsTheSame(t *testing.T) {
	for _, size := range []int{0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 5*chunkBytes + 7} {
		body := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		for _, arriving := range []func(io.Reader) io.Reader{iotest.HalfReader, iotest.DataErrReader, iotest.OneByteReader} {
			got, err := receive(arriving(bytes.NewReader(body)))
			require.NoError(t, err)
			require.NoError(t, iotest.TestReader(got, body))
		}
	}
}

// TestReceive_TruncatedIsAnError shows that a body that ends early is not taken for a complete one.
func TestReceive_TruncatedIsAnError(t *testing.T) {
	for _, err := range []error{io.ErrUnexpectedEOF, errors.New("reset")} {
		_, got := receive(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(err)))
		require.ErrorIs(t, got, err)
	}
}
