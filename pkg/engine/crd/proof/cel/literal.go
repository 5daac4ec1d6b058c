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

// Sorts of literals. Values of different sorts are never equal, but for those of sort other, of which nothing is known.
const (
	otherSort    = 'o'
	numberSort   = 'n'
	stringSort   = 's'
	boolSort     = 'b'
	nullSort     = '0'
	durationSort = 'd'
)

// maxExact bounds the numbers that are exact whether CEL takes them as int or as double.
const maxExact = 1<<53 - 1

// literal is a constant.
type literal struct {
	sort rune
	// number of a numberSort, nanoseconds of a durationSort, 1 for true.
	number float64
	// text of a stringSort; else how CEL writes it.
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
		text := strconv.FormatFloat(float64(v), 'e', -1, 64) // with an e, it is no int
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

// String writes a literal as CEL does.
func (l literal) String() string {
	if l.sort == stringSort {
		return strconv.Quote(l.text)
	}
	return l.text
}

// equals tells whether CEL takes both as equal, and whether that is known.
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

// ordered tells whether both can be compared by their number.
func (l literal) ordered(other literal) bool {
	return l.sort == other.sort && (l.sort == numberSort || l.sort == durationSort)
}

// constant gives the literal that a term is.
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

// constants gives the literals of a list of nothing else.
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

// size gives size() of a literal.
func (l literal) size() (literal, bool) {
	if l.sort != stringSort {
		return literal{}, false
	}
	n := utf8.RuneCountInString(l.text)
	return literal{sort: numberSort, number: float64(n), text: strconv.Itoa(n)}, true
}
