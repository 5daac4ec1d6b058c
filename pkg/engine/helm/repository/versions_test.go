// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNewestFirst(t *testing.T) {
	given := []string{"1.0.0", "v1.10.0", "1.9.0", "x", "1.10.0", "1.0.0-rc.1", "1.0.0-rc.10", "1.0.0-rc.2", "1.0", "1.0.0", "latest", ""}
	assert.Equal(t, []string{"v1.10.0", "1.10.0", "1.9.0", "1.0.0", "1.0.0-rc.10", "1.0.0-rc.2", "1.0.0-rc.1"}, newestFirst(given))
}
