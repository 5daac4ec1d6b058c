// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Sorts of literals. Values of different sorts are never equal, except for sort other, about which nothing is known.
const (
	otherSort    = 'o'
	numberSort   = 'n'
	stringSort   = 's'
	boolSort     = 'b'
	nullSort     = '0'
	durationSort = 'd'
)

// maxExact is the maximum absolute value of numbers that are exact both as int and as double.
const maxExact = 1<<53 - 1

// literal is a constant.
type literal struct {
	sort rune
	// number is the number of a numberSort, the nanoseconds of a durationSort, or 1 for true.
	number float64
	// text is the string of a stringSort; for other sorts, the CEL notation.
	text string
}

func literalOf(v ref.Val) literal {
	switch v := v.(type) {
	case types.Bool:
		return literal{sort: boolSort, number: pick(bool(v), 1.0, 0.0), text: strconv.FormatBool(bool(v))}
	case types.Int:
		text := strconv.FormatInt(int64(v), 10)
		if v > maxExact || v < -maxExact {
			return literal{sort: otherSort, text: text}
		}
		return literal{sort: numberSort, number: float64(v), text: text}
	case types.Double:
		text := strconv.FormatFloat(float64(v), 'e', -1, 64) // the exponent distinguishes it from an int
		if math.IsNaN(float64(v)) || math.Abs(float64(v)) > maxExact {
			return literal{sort: otherSort, text: text}
		}
		return literal{sort: numberSort, number: float64(v), text: text}
	case types.String:
		return literal{sort: stringSort, text: string(v)}
	case types.Null:
		return literal{sort: nullSort, text: "null"}
	case types.Bytes:
		return literal{sort: otherSort, text: fmt.Sprintf("b%q", []byte(v))}
	default:
		return literal{sort: otherSort, text: fmt.Sprintf("%v(%v)", v.Type().TypeName(), v.Value())}
	}
}

// String returns the literal in CEL notation.
func (l literal) String() string {
	if l.sort == stringSort {
		return strconv.Quote(l.text)
	}
	return l.text
}

// equals reports whether CEL treats both literals as equal, and whether that is known.
func (l literal) equals(other literal) (equal, known bool) {
	switch {
	case l.sort == otherSort || other.sort == otherSort:
		return l == other, l == other
	case l.sort != other.sort:
		return false, true
	case l.sort == stringSort:
		return l.text == other.text, true
	default:
		return l.number == other.number, true
	}
}

// ordered reports whether both literals can be compared by their numbers.
func (l literal) ordered(other literal) bool {
	return l.sort == other.sort && (l.sort == numberSort || l.sort == durationSort)
}

// constant returns the literal of a constant term.
func (t *term) constant() (literal, bool) {
	switch {
	case t.kind == literalKind:
		return t.lit, true
	case t.is("duration") && len(t.args) == 1 && t.args[0].kind == literalKind && t.args[0].lit.sort == stringSort:
		d, err := time.ParseDuration(t.args[0].lit.text)
		if err != nil || d > maxExact || d < -maxExact {
			return literal{}, false
		}
		return literal{sort: durationSort, number: float64(d), text: t.args[0].lit.text}, true
	default:
		return literal{}, false
	}
}

// constants returns the literals of a list that contains only constants.
func (t *term) constants() ([]literal, bool) {
	if t.kind != listKind {
		return nil, false
	}
	all := make([]literal, 0, len(t.args))
	for _, arg := range t.args {
		l, ok := arg.constant()
		if !ok {
			return nil, false
		}
		all = append(all, l)
	}
	return all, true
}

// size returns size() of a literal.
func (l literal) size() (literal, bool) {
	if l.sort != stringSort {
		return literal{}, false
	}
	n := utf8.RuneCountInString(l.text)
	return literal{sort: numberSort, number: float64(n), text: strconv.Itoa(n)}, true
}
