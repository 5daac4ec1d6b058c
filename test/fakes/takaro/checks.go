// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

var uuidV4 = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func simple(rule, text string, passes func(v any) bool) check {
	return check{rule: rule, ok: passes, text: func(property string, _ any) string { return property + " " + text }}
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func str(passes func(string) bool) func(any) bool {
	return func(v any) bool { s, ok := v.(string); return ok && passes(s) }
}

var (
	isString  = simple("isString", "must be a string", is[string])
	isNumber  = simple("isNumber", "must be a number conforming to the specified constraints", is[float64])
	isBoolean = simple("isBoolean", "must be a boolean value", is[bool])
	isUUID    = simple("isUuid", "must be a UUID", str(uuidV4.MatchString))
	isEmail   = simple("isEmail", "must be an email", str(emailLike))
	isISO8601 = simple("isIso8601", "must be a valid ISO 8601 date string", str(iso8601))
	isJSON    = simple("isJson", "must be a json string", str(func(s string) bool { return json.Valid([]byte(s)) }))
	isDefined = simple("isDefined", "should not be null or undefined", func(v any) bool { return v != nil })
)

// each applies a check to every member of an array. A value that is not an array is checked itself,
// as class-validator does.
func each(c check) check {
	return check{rule: c.rule,
		ok: func(v any) bool {
			list, isList := v.([]any)
			if !isList {
				return c.ok(v)
			}
			return !slices.ContainsFunc(list, func(m any) bool { return !c.ok(m) })
		},
		text: func(property string, v any) string { return "each value in " + c.text(property, v) },
	}
}

// length returns the rule for strings of min to max UTF-16 code units.
func length(minimum, maximum int) check {
	return check{rule: "isLength",
		ok: str(func(s string) bool { n := units(s); return n >= minimum && n <= maximum }),
		text: func(property string, v any) string {
			s, isText := v.(string)
			switch {
			case v == nil || isText && units(s) < minimum:
				return fmt.Sprintf("%s must be longer than or equal to %d characters", property, minimum)
			case isText:
				return fmt.Sprintf("%s must be shorter than or equal to %d characters", property, maximum)
			}
			return fmt.Sprintf("%s must be longer than or equal to %d and shorter than or equal to %d characters", property, minimum, maximum)
		},
	}
}

func minLength(minimum int) check {
	return simple("minLength", fmt.Sprintf("must be longer than or equal to %d characters", minimum),
		str(func(s string) bool { return units(s) >= minimum }))
}

// enum returns the rule for one of the values. The list shown in the message is passed separately
// because the real API leaves it empty for some enums.
func enum(shown string, values ...string) check {
	return simple("isEnum", "must be one of the following values: "+shown, str(func(s string) bool { return slices.Contains(values, s) }))
}

// units returns the length in UTF-16 code units, as JavaScript's length does.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// emailLike reports whether s is an e-mail address to the real validator, which is stricter than
// net/mail: it refuses display names and domains without a dot.
func emailLike(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 {
		return false
	}
	host := s[strings.LastIndexByte(s, '@')+1:]
	labels := strings.Split(host, ".")
	return len(labels) > 1 && !slices.Contains(labels, "")
}

func iso8601(s string) bool {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}
