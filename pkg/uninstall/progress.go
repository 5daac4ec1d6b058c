// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shown is how many objects are named at most.
const shown = 20

// progress tells people what is waited for, whenever that changes.
type progress struct {
	say func(format string, args ...any)
	// counts is the last line, states what was last said of each object.
	counts string
	states map[string]string
	// problem is what was last said of a look that failed.
	problem string
}

// trouble tells of a look that failed, and will be tried again.
func (p *progress) trouble(err error) {
	if text := err.Error(); text != p.problem {
		p.say("  Trying again: %s", text)
		p.problem = text
	}
}

// tell says how many objects of which kind are left, and of those that are being deleted why they are still there.
func (p *progress) tell(left []object) {
	counts := "All objects are gone."
	if len(left) > 0 {
		counts = "Waiting for the end of " + counted(left) + "."
	}
	if counts != p.counts {
		p.say("%s", counts)
		p.counts = counts
	}
	states := map[string]string{}
	told := 0
	for _, one := range left {
		if !one.deleting || one.state == "" {
			continue
		}
		states[one.String()] = one.state
		if p.states[one.String()] != one.state && told < shown {
			p.say("  %s %s", one, one.state)
			told++
		}
	}
	p.states = states
}

// counted says how many objects of each kind there are: "2 Domains, 1 User".
func counted(all []object) string {
	counts := map[string]int{}
	for _, one := range all {
		counts[one.kind.Kind]++
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, plural(counts[kind], kind))
	}
	return strings.Join(parts, ", ")
}

// listed names the first objects, a line each, with what is known of why they are there.
func listed(all []object) string {
	var lines []string
	for _, one := range sorted(all)[:min(len(all), shown)] {
		line := "  " + one.String()
		switch {
		case one.deleting && one.state != "":
			line += " " + one.state
		case one.deleting:
			line += " is being deleted, and its condition Ready says nothing about it. Finalizers: " + strings.Join(one.finalizers, ", ")
			if len(foreignFinalizers(one.finalizers)) < len(one.finalizers) {
				line += "; does " + controller + " run, which takes ours off?"
			}
		}
		lines = append(lines, line)
	}
	if more := len(all) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(lines, "\n")
}

func sorted(all []object) []object {
	return slices.SortedFunc(slices.Values(all), func(a, b object) int { return cmp.Compare(a.String(), b.String()) })
}

// describe tells people why nothing is done, and what they can do.
func (u *uninstallation) describe(v verdict, s *survey) string {
	if v.unknown {
		return "Nothing was changed. Mend the server, or apply the manifests of the installation again, and run this again. If that is\n" +
			"not possible: prepare-uninstall " + string(strip) + " removes the installation and keeps what is stored."
	}
	if u.mode != refuse {
		return "Nothing was changed."
	}
	all := s.ofUsers()
	lines := []string{"Objects are stored:"}
	for _, of := range s.kinds {
		found := filter(all, func(o object) bool { return o.kind == of })
		if len(found) > 0 {
			lines = append(lines, "  "+plural(len(found), of.Kind)+where(found))
		}
	}
	if unlisted := s.unlisted(); len(unlisted) > 0 {
		lines = append(lines, "  "+plural(len(unlisted), "object")+" that the API does not list")
	}
	lines = append(lines, "By name:", listed(all), "Do one of these:",
		"  delete them, wait until they are gone, and run this again;",
		"  prepare-uninstall --delete-all   deletes them, and what they stand for;",
		"  prepare-uninstall --orphan       deletes them, and leaves what they stand for as it is.",
		"With Helm, the second of these (the third is Orphan), where <release> is most often roadstead and <revision> the last one",
		fmt.Sprintf("that helm history <release> -n %s shows before \"uninstalling\":", u.namespace),
		fmt.Sprintf("  helm rollback <release> <revision> -n %s", u.namespace),
		fmt.Sprintf("  helm upgrade <release> <chart> -n %s --reset-then-reuse-values --set uninstall.objects=DeleteAll", u.namespace),
		fmt.Sprintf("  helm uninstall <release> -n %s --timeout 15m", u.namespace))
	return strings.Join(lines, "\n")
}

// where says in which namespaces objects are.
func where(all []object) string {
	seen := map[string]bool{}
	for _, one := range all {
		if one.namespace != "" {
			seen[one.namespace] = true
		}
	}
	if len(seen) == 0 {
		return ""
	}
	names := slices.Sorted(maps.Keys(seen))
	text := " in " + plural(len(names), "namespace") + ": " + strings.Join(names[:min(len(names), shown)], ", ")
	if len(names) > shown {
		text += ", …"
	}
	return text
}
