// SPDX-License-Identifier: Apache-2.0

package base

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemory(t *testing.T) {
	var memory Memory[int]
	recall := func(name, key string) []any {
		value, known := memory.Recall(name, key)
		return []any{value, known}
	}
	assert.Equal(t, []any{0, false}, recall("a", ""), "nothing was stored")
	memory.Remember("a", "first", 1)
	memory.Remember("b", "first", 2)
	assert.Equal(t, []any{1, true}, recall("a", "first"))
	assert.Equal(t, []any{0, false}, recall("a", "second"), "something that it depends on changed")
	memory.Remember("a", "second", 3)
	assert.Equal(t, []any{0, false}, recall("a", "first"))
	assert.Equal(t, []any{3, true}, recall("a", "second"))
	memory.Forget("a")
	assert.Equal(t, []any{0, false}, recall("a", "second"))
	assert.Equal(t, 1, memory.Len())
}
