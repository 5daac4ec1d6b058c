// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"slices"
	"strings"
)

// The API groups that --groups accepts, by the first part of their names.
const (
	groupTakaro  = "takaro"
	groupRelease = "release"
)

var groups = []string{groupTakaro, groupRelease}

// runs reports whether the controllers of a group run.
func (o *Options) runs(group string) bool { return slices.Contains(o.Groups, group) }

func validateGroups(chosen []string) []error {
	if len(chosen) == 0 {
		return []error{fmt.Errorf("--groups: name at least one of %s", strings.Join(groups, ", "))}
	}
	var errs []error
	for _, group := range chosen {
		if !slices.Contains(groups, group) {
			errs = append(errs, fmt.Errorf("--groups: %q is none of %s", group, strings.Join(groups, ", ")))
		}
	}
	return errs
}
