// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"slices"
	"strings"
)

// Names of the tables for verbs that are usually granted together.
var (
	reads  = []string{"get", "list", "watch"}
	writes = []string{"create", "update", "patch", "delete", "deletecollection"}
)

// verbWords returns verbs in the notation of the tables.
func verbWords(granted []string) string {
	var said []string
	for _, group := range []struct {
		word  string
		verbs []string
	}{{"read", reads}, {"write", writes}} {
		if !slices.ContainsFunc(group.verbs, func(verb string) bool { return !slices.Contains(granted, verb) }) {
			said = append(said, group.word)
			granted = slices.DeleteFunc(slices.Clone(granted), func(verb string) bool { return slices.Contains(group.verbs, verb) })
		}
	}
	return strings.Join(append(said, granted...), ", ")
}

// table renders the rights of each role for one group. Roles without rights in the group have no
// column and are listed in a sentence.
func table(group string, resources []resource, roles []string, of map[string]given) string {
	var columns, without []string
	for _, role := range roles {
		if slices.ContainsFunc(resources, func(r resource) bool { return r.group == group && len(of[role][r.String()]) > 0 }) {
			columns = append(columns, role)
		} else {
			without = append(without, role)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "### %s\n\n| resource |", group)
	for _, role := range columns {
		fmt.Fprintf(&text, " `%s` |", role)
	}
	text.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, r := range resources {
		if r.group != group {
			continue
		}
		fmt.Fprintf(&text, "| `%s` |", r.name)
		for _, role := range columns {
			cell := verbWords(of[role][r.String()])
			if cell == "" {
				cell = "–"
			}
			fmt.Fprintf(&text, " %s |", cell)
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(&text, "\nNothing here: `%s`.\n", strings.Join(without, "`, `"))
	return text.String()
}
