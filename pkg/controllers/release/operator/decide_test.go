// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

func at(numbers ...string) []version {
	var made []version
	for _, number := range numbers {
		made = append(made, version{release.OperatorVersionName("w", number), number, true})
	}
	return made
}

// byHand returns versions that the controller did not create.
func byHand(numbers ...string) []version {
	made := at(numbers...)
	for i := range made {
		made[i].discovered = false
	}
	return made
}

func TestDecide_KeepsVersionsThatItDidNotCreate(t *testing.T) {
	for name, c := range map[string]struct {
		existing        []version
		discovered      []string
		limit           int
		create, surplus []version
	}{
		"more by hand than the limit":   {byHand("1.0.0", "1.1.0", "1.2.0"), nil, 2, nil, nil},
		"by hand below discovered ones": {append(byHand("0.1.0", "0.2.0"), at("1.0.0", "1.1.0", "1.2.0")...), nil, 2, nil, at("1.0.0")},
		"by hand above discovered ones": {append(byHand("2.0.0", "2.1.0"), at("1.0.0")...), nil, 2, nil, at("1.0.0")},
		"by hand, and in the repository": {byHand("1.0.0", "1.1.0", "1.2.0"), []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}, 2,
			at("1.3.0"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := decide("w", c.existing, c.discovered, c.limit)
			assert.Equal(t, c.create, got.create)
			assert.Equal(t, c.surplus, got.surplus)
		})
	}
}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		name                 string
		existing, discovered []string
		limit                int
		create, surplus      []string
	}{
		{"nothing", nil, nil, 20, nil, nil},
		{"all new, the lowest first", nil, []string{"2.0.0", "1.10.0", "1.9.0"}, 20, []string{"1.9.0", "1.10.0", "2.0.0"}, nil},
		{"what is there is not made", []string{"1.9.0"}, []string{"2.0.0", "1.9.0"}, 20, []string{"2.0.0"}, nil},
		{"the oldest are too many", []string{"1.9.0", "1.10.0", "2.0.0"}, nil, 2, nil, []string{"1.9.0"}},
		{"no more than the limit are made", []string{"1.0.0"}, []string{"3.0.0", "2.0.0", "1.0.0", "0.9.0"}, 2,
			[]string{"2.0.0", "3.0.0"}, []string{"1.0.0"}},
		{"a higher one by hand", []string{"9.0.0"}, []string{"3.0.0", "2.0.0"}, 2, []string{"3.0.0"}, nil},
		{"two of one name", nil, []string{"1.0.0-a", "1.0.0+a"}, 20, []string{"1.0.0+a"}, nil},
		{"one of the name is there", []string{"1.0.0-a"}, []string{"1.0.0+a", "1.0.0"}, 1, nil, nil},
		{"a prerelease is older", []string{"1.0.0-rc.1", "1.0.0"}, nil, 1, nil, []string{"1.0.0-rc.1"}},
	} {
		got := decide("w", at(test.existing...), test.discovered, test.limit)
		assert.Equal(t, at(test.create...), got.create, test.name)
		assert.Equal(t, at(test.surplus...), got.surplus, test.name)
	}
}

// A version that one decision creates is not deleted by the next one, and vice versa.
func TestDecisionsRest(t *testing.T) {
	number := rapid.SampledFrom([]string{"0.1.0", "1.0.0", "1.0.0-rc.1", "1.0.0+a", "1.0.0-a", "v1.0.0", "1.2.0",
		"2.0.0", "10.0.0", "v10.0.1"})
	rapid.Check(t, func(t *rapid.T) {
		existing := at(rapid.SliceOfDistinct(number, func(s string) string { return release.OperatorVersionName("w", s) }).Draw(t, "existing")...)
		owned := 0
		for i := range existing {
			existing[i].discovered = rapid.Bool().Draw(t, "created by the controller")
			if existing[i].discovered {
				owned++
			}
		}
		discovered := rapid.SliceOf(number).Draw(t, "discovered")
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		first := decide("w", existing, discovered, limit)
		gone := map[version]bool{}
		for _, one := range first.surplus {
			if gone[one] = true; !one.discovered {
				t.Fatalf("%v was created by somebody else", one)
			}
		}
		var next []version
		for _, one := range append(existing, first.create...) {
			if !gone[one] {
				next = append(next, one)
			}
		}
		if second := decide("w", next, discovered, limit); len(second.create)+len(second.surplus) > 0 {
			t.Fatalf("%v becomes %v, and then %+v", existing, next, second)
		}
		if byOthers := len(existing) - owned; len(next)-byOthers > limit {
			t.Fatalf("%d of the controller are more than %d", len(next)-byOthers, limit)
		}
	})
}

func TestWhatIsWanted(t *testing.T) {
	all := []string{"2.0.0", "1.5.0", "1.0.0"}
	assert.Empty(t, wanted("", all))
	assert.Empty(t, wanted(v1alpha1.DiscoverNone, all))
	assert.Equal(t, all, wanted(v1alpha1.DiscoverAll, all))
	assert.Equal(t, []string{"1.5.0", "1.0.0"}, wanted("<2.0.0", all))
	assert.Empty(t, wanted("newest", all))
	assert.Equal(t, []string{"2.0.0", "1.5.0", "1.0.0"}, all, "the list is not changed")
	assert.Equal(t, "v1.10.0", latest(at("1.9.0", "v1.10.0", "1.2.0")))
	assert.Empty(t, latest(nil))
}

func TestBackoff(t *testing.T) {
	assert.Equal(t, time.Second, backoff(1))
	assert.Equal(t, 8*time.Second, backoff(4))
	assert.Equal(t, 5*time.Minute, backoff(10))
	assert.Equal(t, 5*time.Minute, backoff(1000))
}
