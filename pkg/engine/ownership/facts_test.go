// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func testFacts(t require.TestingT, seed byte) *Facts {
	facts, err := NewFacts(bytes.Repeat([]byte{seed}, MinSeed))
	require.NoError(t, err)
	return facts
}

func TestFacts_KnownOnlyForSameParts(t *testing.T) {
	facts, status := testFacts(t, 1), &Status{}
	parts := []string{"https://takaro.example", "calm-cat", "user-1", "secret"}
	require.False(t, facts.Known(status, FactPasswordAccepted, parts...))
	facts.Know(status, FactPasswordAccepted, parts...)
	require.True(t, facts.Known(status, FactPasswordAccepted, parts...))
	require.True(t, facts.Known(status.DeepCopy(), FactPasswordAccepted, parts...))

	for i := range parts {
		changed := append([]string(nil), parts...)
		changed[i] += "x"
		require.False(t, facts.Known(status, FactPasswordAccepted, changed...), i)
	}
	require.False(t, facts.Known(status, "other-fact", parts...))
	require.False(t, testFacts(t, 2).Known(status, FactPasswordAccepted, parts...), "another seed")
	require.False(t, facts.Known(nil, FactPasswordAccepted, parts...))
}

func TestFacts_UnreadableValueIsUnknown(t *testing.T) {
	facts := testFacts(t, 1)
	for _, value := range []string{"", "zz", "00", "true"} {
		require.False(t, facts.Known(&Status{Facts: map[string]string{"a": value}}, "a"))
	}
}

func TestFacts_BoundariesOfPartsCount(t *testing.T) {
	facts := testFacts(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SliceOfN(rapid.StringMatching(`[ab\x00]{0,3}`), 0, 4)
		one, other := part.Draw(t, "one"), part.Draw(t, "other")
		status := &Status{}
		facts.Know(status, "fact", one...)
		same := len(one) == len(other)
		for i := range one {
			same = same && one[i] == other[i]
		}
		require.Equal(t, same, facts.Known(status, "fact", other...))
	})
}

// TestFacts_StoredFormStaysTheSame checks the stored form of a fact, which must not change between releases:
// otherwise every password would be unknown after an upgrade.
func TestFacts_StoredFormStaysTheSame(t *testing.T) {
	status := &Status{}
	testFacts(t, 1).Know(status, FactPasswordAccepted, "https://takaro.example", "calm-cat", "user-1", "secret")
	require.Equal(t, "e5e9da22a953e8fd28307e64ad52d7b7f514ae36b0ce80ea809f3603e97bf9f2", status.Facts[FactPasswordAccepted])
	raw, err := hex.DecodeString(status.Facts[FactPasswordAccepted])
	require.NoError(t, err)
	require.Len(t, raw, 32)
}

func TestNewFacts_RefusesShortSeed(t *testing.T) {
	_, err := NewFacts(make([]byte, MinSeed-1))
	require.ErrorContains(t, err, "31 bytes")
}
