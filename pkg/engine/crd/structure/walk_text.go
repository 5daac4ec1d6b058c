// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// patterns compares the patterns of strings.
func (w *walk) patterns(old, new *schema, at spot) {
	if equalKeys(old.patterns, new.patterns) || old.types&typeString == 0 {
		return
	}
	was, is := sortedKeys(old.patterns), sortedKeys(new.patterns)
	oldText, newText := strings.Join(was, " and "), strings.Join(is, " and ")
	if len(is) == 0 {
		w.find("504", at, oldText, nil, "any string is allowed now; strings that do not match the old pattern become invalid after a rollback")
		return
	}
	answer := w.c.patterns.includes(is, was)
	switch {
	case answer.Proved && w.c.patterns.includes(was, is).Proved:
		// The same strings, matched by a different pattern.
	case answer.Proved:
		w.find("503", at, oldText, newText,
			"every string that matched before still matches; more strings match now, which become invalid after a rollback").Verdict = rules.Safe
	default:
		id := "502"
		switch {
		case new.folded["pattern"] && !old.folded["pattern"]:
			id = "B06"
		case len(was) == 0:
			id = "501"
		case old.intOrString:
			id = "B14"
		}
		finding := w.find(id, at, oldText, newText, "strings that do not match %s are invalid", newText)
		switch {
		case answer.Refuted:
			finding.Message += "; " + shownWhole(answer.Witness) + " was allowed before"
		case len(was) > 0:
			finding.Message += "; it could not be proved that all strings that matched before still match"
		}
	}
}

// formats compares formats, as far as the server that the new CRD is applied to checks them.
func (w *walk) formats(old, new *schema, at spot) {
	if equalKeys(old.formats, new.formats) {
		return
	}
	was, is := sortedKeys(old.formats), sortedKeys(new.formats)
	oldText, newText := strings.Join(was, " and "), strings.Join(is, " and ")
	checkedBefore := false
	for _, format := range was {
		checkedBefore = checkedBefore || old.checks(format, w.c.Target)
	}
	for _, format := range is {
		if old.formats[format] || !new.checks(format, w.c.Target) || old.implies(format) || new.bounded(format) {
			continue
		}
		id := "505"
		switch {
		case shortOrLong(format):
			id = "512"
		case format == "int32" || format == "float":
			id = "507"
		case checkedBefore:
			id = "510"
		}
		if finding := w.find(id, at, oldText, newText, "values that are not a valid %s are invalid", format); typedFormats[format] &&
			at.ruled(new) {
			unevaluable(finding)
		}
		return
	}
	switch {
	case len(is) == 0 && checkedBefore:
		w.find("506", at, oldText, nil, "the format is no longer checked: more values are allowed, which become invalid after a rollback")
	case checkedBefore:
		w.find("508", at, oldText, newText, "the format allows more values, which become invalid after a rollback")
	default:
		finding := w.find("509", at, oldText, newText, "the server does not check this format here: it only returns a warning")
		for _, format := range is {
			if shortOrLong(format) {
				finding.MinServerVersion = ""
				finding.Message = "servers before 1.34 ignore the format " + format +
					": once the cluster is upgraded, values in another format become invalid"
				finding.Verdict = rules.Review
			}
		}
	}
}

// typedFormats are the formats whose strings have a type of their own in CEL.
var typedFormats = setOf([]string{"byte", "date", "date-time", "datetime", "duration"})

func shortOrLong(format string) bool { return format == "k8s-short-name" || format == "k8s-long-name" }

// implies reports whether the node's own conditions imply a format.
func (s *schema) implies(format string) bool {
	if format == "uuid" {
		return s.formats["uuid3"] || s.formats["uuid4"] || s.formats["uuid5"]
	}
	if format == "isbn" {
		return s.formats["isbn10"] || s.formats["isbn13"]
	}
	if allowed := s.numericRange(format); allowed != (limits{}) {
		own := s.effective()
		return own.minimum.within(allowed.minimum, true) && own.maximum.within(allowed.maximum, false)
	}
	return false
}

// bounded reports whether the bounds of a number alone imply a format, so that the findings about the bounds suffice.
func (s *schema) bounded(format string) bool {
	bare := *s
	bare.formats = nil
	return s.numericRange(format) != (limits{}) && bare.implies(format)
}

// checks reports whether a server of the target version checks a format on the node and can reject a value because of it.
func (s *schema) checks(format string, target *version.Version) bool {
	switch s.types {
	case typeInteger:
		return format == "int32"
	case typeNumber:
		return format == "float"
	case typeString, intOrString, anyType:
		if shortOrLong(format) {
			return target.AtLeast(version.MajorMinor(1, 34))
		}
		return checkedFormats[strings.ReplaceAll(format, "-", "")]
	}
	return false
}

// checkedFormats are the string formats that the server checks (k8s.io/apiextensions-apiserver
// pkg/apiserver/validation/formats.go), without password, which any string satisfies.
var checkedFormats = setOf([]string{
	"bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5", "isbn", "isbn10", "isbn13",
	"creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "date", "duration", "datetime",
})

// oldest is a server version that knows only the formats that all versions know.
var oldest = version.MajorMinor(1, 16)
