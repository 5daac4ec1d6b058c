// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDecide(t *testing.T) {
	cases := []struct {
		name string
		f    findings
		want action
	}{
		{"new, generated", findings{}, create},
		{"new, typed", findings{typed: true}, create},
		{"reference recorded, nothing made yet", findings{recorded: true}, create},
		{"typed and recorded, nothing made yet", findings{typed: true, recorded: true}, create},
		{"known, gone", findings{known: true, recorded: true}, create},
		{"known, there", findings{known: true, recorded: true, foundByID: true}, keep},
		{"known, there under another id", findings{known: true, recorded: true, foundByReference: true}, keep},
		{"interrupted create", findings{recorded: true, foundByReference: true}, remake},
		{"create that ended before the status", findings{recorded: true, foundByReference: true, rootStored: true}, keep},
		{"status lost", findings{foundByReference: true}, keep},
		{"status lost, root known", findings{foundByReference: true, rootStored: true}, keep},
		{"typed, somebody else's", findings{typed: true, foundByReference: true}, refuse},
		{"typed, somebody else's, with a Secret that says otherwise", findings{typed: true, foundByReference: true, rootStored: true}, refuse},
		{"typed, ours without root user", findings{typed: true, recorded: true, foundByReference: true}, incomplete},
		{"typed, ours with root user", findings{typed: true, recorded: true, foundByReference: true, hasRoot: true}, keep},
		{"typed, ours with root password", findings{typed: true, recorded: true, foundByReference: true, rootStored: true}, keep},
		{"to adopt, not there", findings{typed: true, adopting: true}, await},
		{"adopted, gone", findings{typed: true, adopting: true, known: true, recorded: true}, await},
		{"to adopt, there", findings{typed: true, adopting: true, foundByReference: true}, adopt},
		{"adopted, status written half", findings{typed: true, adopting: true, recorded: true, foundByReference: true}, adopt},
		{"adopted, there", findings{typed: true, adopting: true, known: true, recorded: true, foundByID: true}, keep},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, decide(c.f), c.name)
	}
}

// allFindings gives every combination that can be told apart.
func allFindings() []findings {
	var all []findings
	for bits := range 1 << 8 {
		bit := func(n int) bool { return bits>>n&1 == 1 }
		all = append(all, findings{typed: bit(0), adopting: bit(1), known: bit(2), recorded: bit(3),
			foundByID: bit(4), foundByReference: bit(5), rootStored: bit(6), hasRoot: bit(7)})
	}
	return all
}

func TestDecideNeverHarms(t *testing.T) {
	for _, f := range allFindings() {
		found := f.foundByID || f.foundByReference
		switch got := decide(f); got {
		case remake:
			assert.True(t, !f.typed && f.recorded && !f.known && !f.rootStored && !f.foundByID && f.foundByReference, "%+v", f)
		case create:
			assert.True(t, !found && !f.adopting, "%+v", f)
		case await:
			assert.True(t, !found && f.adopting, "%+v", f)
		case adopt:
			assert.True(t, found && f.adopting && f.typed, "%+v", f)
		case refuse:
			assert.True(t, f.typed && !f.recorded && !f.known && !f.adopting && found, "%+v", f)
		case incomplete:
			assert.True(t, f.typed && f.recorded && !f.known && !f.hasRoot && !f.rootStored && !f.adopting, "%+v", f)
		case keep:
			assert.True(t, found, "%+v", f)
			assert.False(t, f.typed && !f.recorded && !f.known && !f.foundByID, "a stranger's domain is kept: %+v", f)
		default:
			assert.Fail(t, "unknown action", "%s for %+v", got, f)
		}
		if f.foundByID {
			assert.Equal(t, keep, decide(f), "%+v", f)
		}
	}
}
