// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const widgets = "widgets.example.com"

// finding is one of a rule with what a comparison would fill in.
func finding(code string, edit func(*rules.Finding)) rules.Finding {
	rule, err := rules.ByCode(code)
	if err != nil {
		panic(err)
	}
	one := rule.Finding()
	// The hints of the table are its own business; those here have a length that is usual.
	one.CRD, one.FixHint = widgets, "Keep the old form for a release, let clients move, and only then change it."
	edit(&one)
	return one
}

// mixed has findings of every verdict, some in two versions, one seen live.
func mixed() rules.Report {
	var all []rules.Finding
	for _, version := range []string{"v1", "v1beta1"} {
		all = append(all, finding("CRD-101", func(f *rules.Finding) {
			f.Version, f.Path, f.Old = version, ".spec.size", `{"type":"integer"}`
			f.Message = ".spec.size is removed: the stored value vanishes with the next read, and any write makes the loss permanent."
		}))
		for _, name := range []string{"host", "name", "path", "port", "zone"} {
			all = append(all, finding("CRD-401", func(f *rules.Finding) {
				f.Version, f.Path, f.New = version, ".spec.listeners[*]."+name, "63"
				f.Message = "Values longer than 63 characters are rejected, and so is each write of a list that holds one."
			}))
		}
	}
	return rules.NewReport(append(all,
		finding("CRD-306", func(f *rules.Finding) {
			f.Version, f.Path, f.Old, f.New = "v1", ".spec.mode", `["active-active","standby"]`, `["activeActive","standby"]`
			f.Message = `"active-active" is no longer allowed; it looks like a rename to "activeActive".`
		}),
		finding("CRD-A02", func(f *rules.Finding) {
			f.Version, f.Path, f.New = "v1", ".spec", "!has(self.replicas) || self.replicas <= self.maxReplicas"
			f.Evidence, f.LiveCount, f.SampleObjects = rules.Live, 17, []string{"shop/cart", "shop/search", "web/front"}
			f.Message = "A rule is new; any edit of .spec is rejected as long as it does not hold."
		}),
		finding("CRD-602", func(f *rules.Finding) {
			f.Version, f.Path, f.Old, f.New = "v1", ".spec.strategy.rollingUpdate.maxUnavailable", `"25%"`, `"10%"`
			f.Message = "Objects that do not set it behave differently from the next read on."
		}),
		finding("CRD-D07", func(f *rules.Finding) {
			f.Path, f.Old, f.Message = "spec.names.shortNames", "wd", "kubectl get wd finds nothing."
		}),
		finding("CRD-403", func(f *rules.Finding) {
			f.Version, f.Path, f.Old, f.New = "v1", ".spec.title", "63", "253"
			f.Message = "Longer values are allowed."
		}),
		finding("CRD-C01", func(f *rules.Finding) { f.Version, f.Path = "v1", ".spec.title" }),
	)...)
}

// thousand has a thousand findings of twenty rules.
func thousand() rules.Report {
	codes := []string{"101", "111", "103", "105", "201", "209", "301", "303", "401", "405", "408", "413", "502", "602", "704", "901",
		"A02", "B02", "D07", "403"}
	var all []rules.Finding
	for i := range 1000 {
		all = append(all, finding("CRD-"+codes[i%len(codes)], func(f *rules.Finding) {
			f.Version, f.Path = "v1", fmt.Sprintf(".spec.group%d.field%d", i%7, i)
			f.Old, f.New = "1", "2"
			f.Message = fmt.Sprintf("%s changes in a way that somebody who wrote it before has to know of, or it is rejected.", f.Path)
		}))
	}
	return rules.NewReport(all...)
}
