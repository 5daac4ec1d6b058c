// SPDX-License-Identifier: Apache-2.0

package check

// mostGoroutines is the maximum number of goroutines of a program once the run has settled. An idle
// API server has about a thousand, including the watches of its clients.
const mostGoroutines = 3000

// Usage is the resource usage of a program.
type Usage struct {
	Program string
	// Peak is the highest memory usage of one of its processes, and Limit the limit in the
	// manifests, in bytes.
	Peak, Limit int
	// Goroutines is their number once the run has settled.
	Goroutines int
}

// Exhausted returns violations for programs that exceeded their limits.
func Exhausted(all []Usage) []Violation {
	var found []Violation
	for _, one := range all {
		if one.Peak > one.Limit {
			found = append(found, breach(Resources, "%s had %d MiB of memory, its limit is %d MiB", one.Program, one.Peak>>20, one.Limit>>20))
		}
		if one.Goroutines > mostGoroutines {
			found = append(found, breach(Resources, "%s has %d goroutines although all has settled", one.Program, one.Goroutines))
		}
	}
	return found
}
