// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	require.Nil(t, spread(nil))
	require.Equal(t, &Spread{Median: 2, Min: 1, Max: 9, Rounds: 3}, spread([]float64{9, 1, 2}))
	require.Equal(t, &Spread{Median: 3, Min: 1, Max: 9, Rounds: 4}, spread([]float64{9, 1, 2, 4}))
}

func TestQuotientsLeaveOutWhatTellsNothing(t *testing.T) {
	assert.Equal(t, []float64{0.5, 2}, quotients([]float64{1, 5, 4, 7}, []float64{2, 0, 2}))
	assert.Empty(t, quotients(nil, []float64{1}))
}

func TestPercentile(t *testing.T) {
	var durations []time.Duration
	for n := 100; n > 0; n-- {
		durations = append(durations, time.Duration(n)*time.Millisecond)
	}
	assert.InDelta(t, 50, percentile(durations, 0.5), 0)
	assert.InDelta(t, 99, percentile(durations, 0.99), 0)
	assert.InDelta(t, 1, percentile(durations, 0), 0)
	assert.Zero(t, percentile(nil, 0.5))
}

func TestNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.012345: "0.0123", 0.4567: "0.457", 1.2345: "1.23", 12.345: "12.3", 123.45: "123", 98765.4: "98765", -0.5: "-0.5",
	} {
		assert.Equal(t, want, number(value))
	}
}
