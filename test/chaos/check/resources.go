// SPDX-License-Identifier: Apache-2.0

package check

// mostGoroutines is the number of goroutines that a program may have when all has settled. An idle API server has about a
// thousand, with the watches of its clients.
const mostGoroutines = 3000

// Usage is what a program used.
type Usage struct {
	Program string
	// Peak is the most memory that one of its processes had, Limit what the manifests give it, in bytes.
	Peak, Limit int
	// Goroutines is their number when all had settled.
	Goroutines int
}

// Exhausted lists the programs that used more than they may.
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
