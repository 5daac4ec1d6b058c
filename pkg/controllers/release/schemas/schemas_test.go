// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersionCandidates(t *testing.T) {
	object := Metadata()
	object.Name = "op-v1.2.3.widgets.example.com"
	assert.Equal(t, []string{"op-v1", "op-v1.2", "op-v1.2.3", "op-v1.2.3.widgets", "op-v1.2.3.widgets.example"}, VersionCandidates(object))
	object.Name = "name"
	assert.Empty(t, VersionCandidates(object))
}
