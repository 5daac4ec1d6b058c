// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func seed(b byte) []byte { return bytes.Repeat([]byte{b}, SeedSize) }

func TestParse(t *testing.T) {
	line := func(b byte) string { return base64.StdEncoding.EncodeToString(seed(b)) }
	seeds, err := parse([]byte("\n  " + line(1) + "\r\n\n" + line(2)))
	require.NoError(t, err)
	assert.Equal(t, [][]byte{seed(1), seed(2)}, seeds)
	for text, want := range map[string]string{"": "no seed", "\n": "no seed", line(1) + "\nsecret text": "line 2",
		base64.StdEncoding.EncodeToString([]byte("short")): "line 1"} {
		_, err := parse([]byte(text))
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret text")
	}
}

func TestRender_ParsesAsBefore(t *testing.T) {
	seeds, err := parse(render([][]byte{seed(1), seed(2)})[seedsKey])
	require.NoError(t, err)
	assert.Equal(t, [][]byte{seed(1), seed(2)}, seeds)
}
