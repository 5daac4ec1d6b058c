// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestExpand(t *testing.T) {
	known := lookUp(map[string]string{"A": "1", "B": "$(A)", "EMPTY": "", "": "nameless"})
	for text, want := range map[string]string{
		"": "", "plain": "plain", "$(A)": "1", "x-$(A)-y": "x-1-y", "$(A)$(A)": "11",
		"$(B)":       "$(A)", // a value is not expanded again
		"$(EMPTY)":   "",
		"$(UNKNOWN)": "$(UNKNOWN)",
		"$$(A)":      "$(A)", "$$$(A)": "$1", "$$$$(A)": "$$(A)",
		"$": "$", "$$": "$", "$A": "$A", "${A}": "${A}", "$(A": "$(A", "$(A$(A)": "$(A$(A)", "()": "()", "$()": "nameless", "a)$(A)": "a)1",
	} {
		assert.Equal(t, want, expand(text, known), text)
	}
}

func TestExpandLeavesTextWithoutDollarsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "$", "")
		assert.Equal(t, text, expand(text, lookUp(map[string]string{"A": "1"})))
		assert.Equal(t, "1"+text+"1", expand("$(A)"+text+"$(A)", lookUp(map[string]string{"A": "1"})))
	})
}

func TestRepository(t *testing.T) {
	for image, want := range map[string]string{"roadstead.test/mock:v1": "roadstead.test/mock", "roadstead.test/mock": "roadstead.test/mock",
		"localhost:5000/a": "localhost:5000/a", "localhost:5000/a:1": "localhost:5000/a", "a@sha256:abc": "a", "a:1@sha256:abc": "a"} {
		assert.Equal(t, want, repository(image), image)
	}
}
