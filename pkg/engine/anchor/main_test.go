// SPDX-License-Identifier: Apache-2.0

package anchor

import (
	"flag"
	"os"
	"testing"
)

// TestMain increases the number of checks of the model run, because some faults require several events at the right time.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "2000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
