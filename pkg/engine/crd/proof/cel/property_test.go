// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// absentField stands for a missing field in the values of a field.
type absentField struct{}

// space contains the values of each field of the objects. All combinations are tested.
var space = []struct {
	field  string
	values []any
}{
	{"a", []any{absentField{}, int64(0), int64(1), int64(2), int64(5), 1.5}},
	{"b", []any{absentField{}, int64(1), int64(3)}},
	{"s", []any{absentField{}, "", "a", "ab", "abc", "b"}},
	{"l", []any{absentField{}, []any{}, []any{int64(0)}, []any{int64(1), int64(2)}, []any{int64(5)}}},
	{"f", []any{absentField{}, true, false}},
	{"o", []any{absentField{}, map[string]any{}, map[string]any{"c": int64(1)}, map[string]any{"c": int64(3)}}},
}

var objects = func() []map[string]any {
	all := []map[string]any{{}}
	for _, dimension := range space {
		var next []map[string]any
		for _, object := range all {
			for _, v := range dimension.values {
				next = append(next, with(object, dimension.field, v))
			}
		}
		all = next
	}
	return all
}()

// sample draws every eleventh object.
func sample(t *rapid.T) []map[string]any {
	var some []map[string]any
	for at := rapid.IntRange(0, 10).Draw(t, "first"); at < len(objects); at += 11 {
		some = append(some, objects[at])
	}
	return some
}

// with returns an object with another value of a field.
func with(object map[string]any, field string, v any) map[string]any {
	other := map[string]any{}
	for name, value := range object {
		other[name] = value
	}
	if v == (absentField{}) {
		delete(other, field)
		return other
	}
	other[field] = v
	return other
}

var environment = func() *cel.Env {
	env, err := cel.NewEnv(cel.Variable("self", cel.DynType), cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true),
		ext.TwoVarComprehensions())
	if err != nil {
		panic(err)
	}
	return env
}()

// compile returns a function that evaluates a rule to true, false or error.
func compile(t *rapid.T, rule string) func(object map[string]any) string {
	parsed, issues := environment.Parse(rule) // types are not checked; type errors fail the evaluation
	require.NoError(t, issues.Err(), rule)
	program, err := environment.Program(parsed)
	require.NoError(t, err, rule)
	return func(object map[string]any) string {
		result, _, err := program.Eval(map[string]any{"self": object})
		if err != nil {
			return "error"
		}
		if truth, ok := result.Value().(bool); ok {
			return fmt.Sprint(truth)
		}
		return "error"
	}
}

// grammar draws rules. The variables in scope stand for numbers.
type grammar struct{ vars []string }

func (g grammar) number(t *rapid.T, depth int) string {
	from := []string{"self.a", "self.b", "self.a", "self.o.c", "size(self.s)", "self.l.size()", "self.l[0]", "self.?a.orValue(2)",
		"self.?o.?c.orValue(0)", "1", "2"}
	from = append(append(from, g.vars...), g.vars...)
	if depth > 0 && rapid.IntRange(0, 7).Draw(t, "compound") == 0 {
		return rapid.SampledFrom([]string{
			"(" + g.number(t, depth-1) + " + " + g.number(t, depth-1) + ")",
			"(" + g.rule(t, depth-1) + " ? " + g.number(t, depth-1) + " : " + g.number(t, depth-1) + ")",
		}).Draw(t, "sum")
	}
	return rapid.SampledFrom(from).Draw(t, "number")
}

func (g grammar) atom(t *rapid.T, depth int) string {
	literal := rapid.SampledFrom([]string{"0", "1", "2", "3", "1.5", "2.0"})
	text := rapid.SampledFrom([]string{`""`, `"a"`, `"ab"`, `"b"`, `"abc"`})
	switch rapid.IntRange(0, 8).Draw(t, "atom") {
	case 0, 1, 2:
		operator := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "operator")
		left, right := g.number(t, depth), literal.Draw(t, "literal")
		if rapid.IntRange(0, 4).Draw(t, "terms") == 0 {
			right = g.number(t, depth)
		}
		if rapid.Bool().Draw(t, "turned") {
			left, right = right, left
		}
		return left + " " + operator + " " + right
	case 3:
		return g.number(t, depth) + " in [" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "2", "5"}), 0,
			3).Draw(t, "set"), ", ") + "]"
	case 4:
		return "self.s " + rapid.SampledFrom([]string{"==", "!="}).Draw(t, "equal") + " " + text.Draw(t, "text")
	case 5:
		return "self.s in [" + strings.Join(rapid.SliceOfN(text, 0, 3).Draw(t, "texts"), ", ") + "]"
	case 6:
		function := rapid.SampledFrom([]string{"startsWith", "endsWith", "contains", "matches"}).Draw(t, "function")
		if function == "matches" {
			text = rapid.SampledFrom([]string{`"^a"`, `"^[ab]+\\z"`, `"^[a-c]*\\z"`, `"^.{2,3}\\z"`, `"b"`})
		}
		return "self.s." + function + "(" + text.Draw(t, "text") + ")"
	case 7:
		return "has(" + rapid.SampledFrom([]string{"self.a", "self.b", "self.s", "self.l", "self.o", "self.o.c", "self.f"}).Draw(t, "field") + ")"
	default:
		return rapid.SampledFrom([]string{"self.f", "self.f == true", "self.f != false", "false == self.f", "self.?f.orValue(true)",
			"self.?a.hasValue()", "true", "false"}).Draw(t, "flag")
	}
}

func (g grammar) rule(t *rapid.T, depth int) string {
	if depth == 0 {
		return g.atom(t, 0)
	}
	sub := func() string { return "(" + g.rule(t, depth-1) + ")" }
	switch rapid.IntRange(0, 11).Draw(t, "rule") {
	case 0, 1:
		return sub() + " && " + sub()
	case 2, 3:
		return sub() + " || " + sub()
	case 4, 5:
		return "!" + sub()
	case 6:
		return sub() + " ? " + sub() + " : " + sub()
	case 7, 8:
		name := fmt.Sprintf("x%d", len(g.vars))
		inner := grammar{append(slices.Clone(g.vars), name)}
		macro := rapid.SampledFrom([]string{"all", "exists", "all", "exists", "exists_one"}).Draw(t, "macro")
		list := rapid.SampledFrom([]string{"self.l", "self.l", "[self.a, self.b]", "self.l.filter(y, y > 0)", "self.?l.orValue([])"}).Draw(t,
			"list")
		return list + "." + macro + "(" + name + ", " + inner.rule(t, depth-1) + ")"
	case 9:
		return sub() + rapid.SampledFrom([]string{" == ", " != "}).Draw(t, "equal") + sub()
	default:
		return g.atom(t, depth)
	}
}

// loosened draws a rule that is likely to follow from another.
func loosened(t *rapid.T, rule string) string {
	other := grammar{}.rule(t, 2)
	turns := strings.NewReplacer(" < 1", " < 2", " < 2", " <= 2", " == 1", " <= 1", " > 2", " > 1.5", " in [1", " in [2, 1", `"ab"`, `"a"`,
		" >= 2", " > 1", "&&", "||")
	switch rapid.IntRange(0, 4).Draw(t, "loosened") {
	case 0:
		return "(" + other + ") || (" + rule + ")"
	case 1:
		return turns.Replace(rule)
	case 2:
		return "(" + turns.Replace(rule) + ") || (" + other + ")"
	case 3:
		return "(" + other + ") ? (" + rule + ") : (" + turns.Replace(rule) + ")"
	default:
		return other
	}
}

func TestImplies_HoldsForAllObjects(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		first := grammar{}.rule(t, 3)
		old := []string{first}
		if rapid.Bool().Draw(t, "two") {
			old = append(old, grammar{}.rule(t, 2))
		}
		implied := loosened(t, first)
		if !Implies(old, implied) {
			return
		}
		proved++
		evaluate := compile(t, implied)
		var given []func(map[string]any) string
		for _, rule := range old {
			given = append(given, compile(t, rule))
		}
		for _, object := range sample(t) {
			holds := !slices.ContainsFunc(given, func(rule func(map[string]any) string) bool { return rule(object) != "true" })
			if holds && evaluate(object) != "true" {
				t.Fatalf("%q is said to imply %q, which is %s for %v", old, implied, evaluate(object), object)
			}
		}
	})
	require.Positive(t, proved, "some rules are proved")
	t.Logf("%d proved", proved)
}

func TestNormal_KeepsOutcome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := grammar{}.rule(t, 3)
		text := strings.NewReplacer(plainVariable, "v", otherVariable, "w").Replace(Normal(rule))
		before, after := compile(t, rule), compile(t, text)
		for _, object := range sample(t) {
			require.Equal(t, before(object), after(object), "%q and its normal form %q, for %v", rule, text, object)
		}
		require.Equal(t, Normal(rule), Normal(text))
	})
}

func TestTrueWhen_HoldsForAllObjects(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		presence := drawPresence(t)
		rule := grammar{}.rule(t, 3)
		if !TrueWhen(rule, presence) {
			return
		}
		proved++
		evaluate := compile(t, rule)
		for _, object := range sample(t) {
			if fits(object, presence) {
				require.Equal(t, "true", evaluate(object), "%q for %v", rule, object)
			}
		}
	})
	require.Positive(t, proved, "some rules are proved")
	t.Logf("%d proved", proved)
}

// drawPresence draws the presence of each field.
func drawPresence(t *rapid.T) func(path []string) Presence {
	known := map[string]Presence{}
	for _, dimension := range space {
		known[dimension.field] = rapid.SampledFrom([]Presence{Absent, Absent, Present, Unknown}).Draw(t, dimension.field)
	}
	known["o.c"] = rapid.SampledFrom([]Presence{Absent, Present, Unknown}).Draw(t, "o.c")
	return func(path []string) Presence { return known[Path(path).String()] }
}

func TestImpliesWhen_HoldsForAllObjects(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		presence := drawPresence(t)
		old := grammar{}.rule(t, 2)
		implied := loosened(t, old)
		if !ImpliesWhen([]string{old}, implied, presence) {
			return
		}
		proved++
		given, evaluate := compile(t, old), compile(t, implied)
		for _, object := range sample(t) {
			if fits(object, presence) && given(object) == "true" {
				require.Equal(t, "true", evaluate(object), "%q is said to imply %q, for %v", old, implied, object)
			}
		}
	})
	require.Positive(t, proved, "some rules are proved")
}

// fits reports whether an object has the fields according to the presence.
func fits(object map[string]any, presence func([]string) Presence) bool {
	as := func(holder map[string]any, path ...string) bool {
		_, there := holder[path[len(path)-1]]
		known := presence(path)
		return known == Unknown || there == (known == Present)
	}
	for _, dimension := range space {
		if !as(object, dimension.field) {
			return false
		}
	}
	inner, there := object["o"].(map[string]any)
	return !there || as(inner, "o", "c")
}

func TestReads_OtherFieldsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := grammar{}.rule(t, 3)
		reads, err := ReadsOf(rule)
		require.NoError(t, err)
		evaluate := compile(t, rule)
		for _, dimension := range space {
			if slices.ContainsFunc(reads.Self, func(p Path) bool { return len(p) == 0 || p[0] == dimension.field }) {
				continue
			}
			object := rapid.SampledFrom(objects).Draw(t, "object")
			for _, v := range dimension.values {
				require.Equal(t, evaluate(object), evaluate(with(object, dimension.field, v)), "%q says that it does not read %s", rule,
					dimension.field)
			}
		}
	})
}

func FuzzImplies(f *testing.F) {
	for _, pair := range [][2]string{
		{`self.a > 1`, `self.a > 0`}, {`!has(self.a) || self.a.size() < 5`, `self.l.all(x, x.matches('^a'))`},
		{`self.?a.orValue(1) in [1, 2u, 3.5, null, b'x']`, `self == oldSelf ? {'a': 1}.a : Foo{b: 2}`},
		{`self.m.transformMap(k, v, v)[?'a'].optMap(x, x)`, `(((`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, old, new string) {
		Implies([]string{old}, new)
		Implies([]string{new, old}, old+" || "+new)
		TrueWhen(old, named)
		if _, err := Parse(old); err == nil && !Implies([]string{old}, old) {
			t.Fatalf("%q does not imply itself", old)
		}
		Normal(new)
		_, _ = ReadsOf(new)
	})
}
