// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shown is the maximum number of objects that are listed.
const shown = 20

// progress prints what the command waits for, whenever that changes.
type progress struct {
	say func(format string, args ...any)
	// counts is the last line that was printed. states contains the last state that was printed of
	// each object.
	counts string
	states map[string]string
	// problem is the last error that was printed.
	problem string
}

// trouble prints an error that will be retried.
func (p *progress) trouble(err error) {
	if text := err.Error(); text != p.problem {
		p.say("  Trying again: %s", text)
		p.problem = text
	}
}

// tell prints how many objects of each kind are left, and the state of those that are being
// deleted.
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

// counted returns how many objects of each kind there are: "2 Domains, 1 User".
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

// listed returns the first objects, one per line, with their state.
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

// describe explains why nothing is done, and what the user can do.
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

// where returns the namespaces of the objects.
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
