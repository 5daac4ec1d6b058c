// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"
	"time"
)

// Dated is a name that was affected at a time. A name may have several times.
type Dated struct {
	Name string
	At   time.Time
}

// HeldWithin returns the names that are held back, sorted, if names count only together with
// others that were affected within the window. The limits are those of Judge. Only the differences
// between the times matter, so that the result is the same after a restart, regardless of its duration.
func HeldWithin(affected []Dated, window time.Duration, of, share int, released []string) []string {
	affected = slices.DeleteFunc(slices.Clone(affected), func(d Dated) bool { return slices.Contains(released, d.Name) })
	slices.SortFunc(affected, func(a, b Dated) int { return a.At.Compare(b.At) })
	var held []string
	inside := map[string]int{} // the number of times of each name within the window
	begin, done := 0, 0        // the window begins at begin; entries before done are in held
	for end, last := range affected {
		inside[last.Name]++
		for ; last.At.Sub(affected[begin].At) > window; begin++ {
			name := affected[begin].Name
			if inside[name]--; inside[name] == 0 {
				delete(inside, name)
			}
		}
		if !exceeds(len(inside), of, share) {
			continue
		}
		for _, one := range affected[max(begin, done) : end+1] {
			held = append(held, one.Name)
		}
		done = end + 1
	}
	slices.Sort(held)
	return slices.Compact(held)
}
