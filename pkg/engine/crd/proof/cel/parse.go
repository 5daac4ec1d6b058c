// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
)

// Limits for the size of a rule.
const (
	maxRule  = 32 << 10 // code points
	maxTerms = 4_000
	maxDepth = 100 // of the parser's recursion
)

// Rule is a parsed rule.
type Rule struct {
	text string
	root *term
}

// String returns the text that the rule was parsed from.
func (r *Rule) String() string { return r.text }

// Parse parses a CEL rule like the API server, including the syntax of optionals, but does not check types.
// It returns an error for invalid CEL, for incorrect uses of macros, and for rules that are too large.
func Parse(rule string) (*Rule, error) {
	// Macros are not expanded: has(x.y) and x.all(v, p) remain calls.
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(false),
		parser.EnableVariadicOperatorASTs(true),
		parser.ExpressionSizeCodePointLimit(maxRule), parser.MaxRecursionDepth(maxDepth))
	if err != nil {
		return nil, fmt.Errorf("create CEL parser: %w", err)
	}
	parsed, problems := p.Parse(common.NewTextSource(rule))
	if len(problems.GetErrors()) > 0 {
		return nil, fmt.Errorf("parse rule %q: %s", abbreviate(rule), problems.ToDisplayString())
	}
	c := &converter{left: maxTerms}
	root, err := c.convert(parsed.Expr())
	if err != nil {
		return nil, fmt.Errorf("analyze rule %q: %w", abbreviate(rule), err)
	}
	return &Rule{text: rule, root: root}, nil
}

func abbreviate(rule string) string {
	if runes := []rune(rule); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return rule
}

// macros maps the macros of Kubernetes' CEL to the number of variables that they bind, by the number of arguments.
var macros = map[string]map[int]int{
	"all":               {2: 1, 3: 2},
	"exists":            {2: 1, 3: 2},
	"exists_one":        {2: 1, 3: 2},
	"existsOne":         {2: 1, 3: 2},
	"map":               {2: 1, 3: 1},
	"filter":            {2: 1},
	"sortBy":            {2: 1},
	"optMap":            {2: 1},
	"optFlatMap":        {2: 1},
	"transformList":     {3: 2, 4: 2},
	"transformMap":      {3: 2, 4: 2},
	"transformMapEntry": {3: 2, 4: 2},
}

// bothWays contains functions that may also be called on their first argument: size(x) and x.size().
var bothWays = map[string]bool{"size": true}

type converter struct{ left, made int }

var errTooLarge = errors.New("rule is too large")

func (c *converter) convert(e ast.Expr) (*term, error) {
	if c.left--; c.left < 0 {
		return nil, errTooLarge
	}
	t, err := c.term(e)
	if err != nil {
		return nil, err
	}
	c.made++
	t.number = c.made
	return t, nil
}

func (c *converter) term(e ast.Expr) (*term, error) {
	switch e.Kind() {
	case ast.LiteralKind:
		return &term{kind: literalKind, lit: literalOf(e.AsLiteral())}, nil
	case ast.IdentKind:
		if strings.HasPrefix(e.AsIdent(), ".") {
			return nil, fmt.Errorf("absolute name %s is not supported", e.AsIdent())
		}
		return &term{kind: identKind, name: e.AsIdent()}, nil
	case ast.SelectKind:
		operand, err := c.convert(e.AsSelect().Operand())
		if err != nil {
			return nil, err
		}
		return &term{kind: pick(e.AsSelect().IsTestOnly(), hasKind, selectKind), name: e.AsSelect().FieldName(), args: []*term{operand}}, nil
	case ast.ListKind:
		return c.list(e.AsList())
	case ast.MapKind:
		return c.entries(&term{kind: mapKind}, e.AsMap().Entries())
	case ast.StructKind:
		return c.entries(&term{kind: structKind, name: e.AsStruct().TypeName()}, e.AsStruct().Fields())
	case ast.CallKind:
		return c.call(e.AsCall())
	default:
		return nil, errors.New("unknown kind of expression")
	}
}

func (c *converter) list(l ast.ListExpr) (*term, error) {
	args, err := c.all(l.Elements())
	if err != nil {
		return nil, err
	}
	for at := range args {
		if l.IsOptional(int32(at)) {
			args[at] = &term{kind: entryKind, args: []*term{args[at]}}
		}
	}
	return &term{kind: listKind, args: args}, nil
}

func (c *converter) entries(into *term, entries []ast.EntryExpr) (*term, error) {
	var names []string
	for _, entry := range entries {
		var expressions []ast.Expr
		optional := false
		if entry.Kind() == ast.StructFieldKind {
			field := entry.AsStructField()
			names = append(names, field.Name())
			expressions, optional = []ast.Expr{field.Value()}, field.IsOptional()
		} else {
			pair := entry.AsMapEntry()
			expressions, optional = []ast.Expr{pair.Key(), pair.Value()}, pair.IsOptional()
		}
		args, err := c.all(expressions)
		if err != nil {
			return nil, err
		}
		if optional {
			last := len(args) - 1
			args[last] = &term{kind: entryKind, args: []*term{args[last]}}
		}
		into.args = append(into.args, args...)
	}
	if into.kind == structKind {
		into.name += "{" + strings.Join(names, ",") + "}"
	}
	return into, nil
}

func (c *converter) all(expressions []ast.Expr) ([]*term, error) {
	terms := make([]*term, 0, len(expressions))
	for _, e := range expressions {
		t, err := c.convert(e)
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return terms, nil
}

func (c *converter) call(e ast.CallExpr) (*term, error) {
	args, err := c.all(e.Args())
	if err != nil {
		return nil, err
	}
	name := e.FunctionName()
	if !e.IsMemberFunction() {
		switch {
		case name == operators.Has && len(args) == 1:
			return presence(args[0])
		case name == operators.OptSelect && len(args) == 2 && args[1].kind == literalKind:
			return &term{kind: optSelectKind, name: args[1].lit.text, args: args[:1]}, nil
		}
		return call(name, args...), nil
	}
	target, err := c.convert(e.Target())
	if err != nil {
		return nil, err
	}
	if bound, ok := macros[name][len(args)]; ok {
		return macro(name, target, args, bound)
	}
	if bothWays[name] && len(args) == 0 {
		return call(name, target), nil
	}
	return call("."+name, append([]*term{target}, args...)...), nil
}

func presence(of *term) (*term, error) {
	if of.kind != selectKind {
		return nil, errors.New("argument of has() is not a field")
	}
	return &term{kind: hasKind, name: of.name, args: of.args}, nil
}

func macro(name string, target *term, args []*term, bound int) (*term, error) {
	t := &term{kind: macroKind, name: pick(name == "existsOne", "exists_one", name), args: append([]*term{target}, args[bound:]...)}
	for _, arg := range args[:bound] {
		if arg.kind != identKind {
			return nil, fmt.Errorf("variable of %s() is not a name", name)
		}
		t.vars = append(t.vars, arg.name)
	}
	if bound == 2 && t.vars[0] == t.vars[1] {
		return nil, fmt.Errorf("variables of %s() have the same name", name)
	}
	return t, nil
}
