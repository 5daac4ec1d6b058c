// SPDX-License-Identifier: Apache-2.0

//go:build !race

package sandbox

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRun_MemoryIsBounded(t *testing.T) {
	_, err := seatOf(t, tested(t, time.Minute), "tenant").Run(t.Context(), "memory", nil, nil)
	assert.Equal(t, KindOutOfMemory, KindOf(err), err)
	assert.ErrorContains(t, err, "more than 512 MiB")
}
