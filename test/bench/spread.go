// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"slices"
	"time"
)

// Spread summarizes the values of several rounds.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Rounds int     `json:"rounds"`
}

// spread returns nil for no values.
func spread(values []float64) *Spread {
	if len(values) == 0 {
		return nil
	}
	return &Spread{Median: median(values), Min: slices.Min(values), Max: slices.Max(values), Rounds: len(values)}
}

// median returns the median, the mean of the two middle values for an even number. It returns 0 for
// no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// quotients divides round by round. A round whose divisor is not positive has no meaning and is
// left out.
func quotients(ours, crd []float64) []float64 {
	var all []float64
	for i := range min(len(ours), len(crd)) {
		if crd[i] > 0 && !math.IsNaN(ours[i]) {
			all = append(all, ours[i]/crd[i])
		}
	}
	return all
}

// percentile returns the value below which a part (0 to 1) of the durations lies, in milliseconds.
// It returns 0 for no durations.
func percentile(durations []time.Duration, part float64) float64 {
	if len(durations) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(durations))
	at := int(math.Ceil(part*float64(len(sorted)))) - 1
	return milliseconds(sorted[max(at, 0)])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
