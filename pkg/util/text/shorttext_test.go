// SPDX-License-Identifier: Apache-2.0

package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestWhatFitsStaysAsItIs(t *testing.T) {
	for _, cut := range []func(string, int) string{Characters, Bytes, Line} {
		assert.Equal(t, "short", cut("short", 5))
		assert.Equal(t, "", cut("", 5))
	}
}

func TestWhatIsCutEndsWithAnEllipsis(t *testing.T) {
	assert.Equal(t, "äö…", Characters("äöüß", 3))
	assert.Equal(t, "…", Characters("äöüß", 1))
	assert.Equal(t, "ä…", Bytes("äöüß", 5), "two bytes of ä and three of the ellipsis")
	assert.Equal(t, "ä…", Bytes("äöüß", 6), "no half character")
	assert.Equal(t, "a b…", Line("a\nbcd", 4))
	assert.Equal(t, "a b c d \uFFFD", Line("a\r"+"b\u2028c\u2029d\x00\xff", 20))
}

func TestNoCutIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "most")
		assert.LessOrEqual(t, utf8.RuneCountInString(Characters(text, most)), most)
		assert.LessOrEqual(t, len(Bytes(text, most)), most)
		assert.True(t, utf8.ValidString(Bytes(text, most)))
		line := Line(text, most)
		assert.LessOrEqual(t, utf8.RuneCountInString(line), most)
		assert.False(t, strings.ContainsFunc(line, unicode.IsControl))
	})
}
