// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"flag"
	"os"
	"testing"
	"time"
)

const (
	testKey      = "roadstead:prod:uid-1"
	testRetained = "retained:prod:uid-1"
	testName     = "team-a"
)

var (
	testNow  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	testSlot = Slot{Kind: "Domain", Key: testKey}
)

// TestMain increases the number of checks of each property, because rapid's default of 100 rarely
// reaches faults that require several events. -rapid.checks takes precedence if it is given.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "10000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
