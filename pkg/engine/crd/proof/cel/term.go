// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"

	"github.com/google/cel-go/common/operators"
)

type kind int

const (
	literalKind kind = iota
	identKind
	selectKind    // args[0].name
	optSelectKind // args[0].?name
	hasKind       // has(args[0].name)
	callKind      // an operator, a function, or a member function, whose target is args[0]
	listKind
	mapKind    // args are key, value, key, value
	structKind // name{…}; args are the values
	entryKind  // an optional element or entry: ?args[0]
	macroKind  // args[0].name(vars…, args[1]…): the variables are bound in all but args[0]
)

// term is an expression. Terms are immutable once they are created.
type term struct {
	kind kind
	// name is the name of an identifier, a field, a function, a macro or a type. Names of member functions begin with a dot.
	name string
	lit  literal
	args []*term
	vars []string
	// number identifies a parsed term within its rule, also after the term was moved.
	number int
	// key is the canonical text. Only normal sets it.
	key string
}

// Names of the variables outside of macros, and the prefixes of bound variables in normal terms, which depend
// on what they stand for: an item of a value of the object, or anything.
const (
	self          = "self"
	oldSelf       = "oldSelf"
	plainVariable = "$"
	otherVariable = "%"
)

// call returns a call of an operator or a function.
func call(name string, args ...*term) *term {
	return &term{kind: callKind, name: name, args: args}
}

func (t *term) is(names ...string) bool {
	if t.kind != callKind {
		return false
	}
	for _, name := range names {
		if t.name == name {
			return true
		}
	}
	return false
}

// isQuantifier reports whether a term is all() or exists(), with one or two variables.
func (t *term) isQuantifier() bool {
	return t.kind == macroKind && (t.name == "all" || t.name == "exists")
}

// isUnique reports whether a term is exists_one(), with one or two variables.
func (t *term) isUnique() bool {
	return t.kind == macroKind && t.name == "exists_one"
}

// with returns the same term with other operands.
func (t *term) with(args []*term) *term {
	other := *t
	other.args, other.key = args, ""
	return &other
}

// substitute renames free identifiers.
func (t *term) substitute(names map[string]string) *term {
	if t.kind == identKind {
		if name, ok := names[t.name]; ok {
			return &term{kind: identKind, name: name}
		}
		return t
	}
	if len(t.args) == 0 {
		return t
	}
	inner := names
	if t.kind == macroKind {
		inner = map[string]string{}
		for from, to := range names {
			inner[from] = to
		}
		for _, bound := range t.vars {
			delete(inner, bound)
		}
	}
	args := make([]*term, len(t.args))
	for at, arg := range t.args {
		args[at] = arg.substitute(pick(t.kind == macroKind && at > 0, inner, names))
	}
	return t.with(args)
}

func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

// uses reports whether a free identifier occurs in a term.
func (t *term) uses(name string) bool {
	if t.kind == identKind {
		return t.name == name
	}
	for at, arg := range t.args {
		if t.kind == macroKind && at > 0 {
			bound := false
			for _, v := range t.vars {
				bound = bound || v == name
			}
			if bound {
				continue
			}
		}
		if arg.uses(name) {
			return true
		}
	}
	return false
}

// plain reports whether a term is a value of the object or a count, which is never NaN because JSON has no NaN.
func (t *term) plain() bool {
	switch t.kind {
	case literalKind:
		return true
	case identKind:
		return t.name == self || t.name == oldSelf || strings.HasPrefix(t.name, plainVariable)
	case selectKind, optSelectKind:
		return t.args[0].plain()
	case callKind:
		switch t.name {
		case operators.Index, operators.OptIndex, ".value":
			return t.args[0].plain()
		case ".orValue":
			return t.args[0].plain() && t.args[1].plain()
		case "size", "int", "duration", "timestamp", ".indexOf", ".lastIndexOf":
			return true
		}
	}
	return false
}

// integer reports whether a term is an integer if it is a number.
func (t *term) integer() bool {
	return t.is("size", "int", ".indexOf", ".lastIndexOf")
}
