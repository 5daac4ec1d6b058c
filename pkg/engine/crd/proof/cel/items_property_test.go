// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// itemLists contains all lists of up to three of a few items with different contents.
var itemLists = func() []map[string]any {
	items := []any{
		map[string]any{},
		map[string]any{"n": int64(1)},
		map[string]any{"n": int64(2), "k": ""},
		map[string]any{"k": "a", "m": []any{int64(1)}},
		map[string]any{"n": int64(1), "k": "a", "m": []any{int64(1), int64(2)}},
		map[string]any{"n": int64(2), "k": "b", "m": []any{}},
	}
	lists := [][]any{{}}
	for at := 0; at < len(lists); at++ {
		if len(lists[at]) < 3 {
			for _, item := range items {
				lists = append(lists, append(slices.Clone(lists[at]), item))
			}
		}
	}
	all := []map[string]any{{}}
	for _, list := range lists {
		all = append(all, map[string]any{"l": list}, map[string]any{"l": list, "c": int64(len(list) % 2)})
	}
	return all
}()

// condition draws a condition on items, which may fail for some.
func condition(t *rapid.T, depth int, items ...string) string {
	x := rapid.SampledFrom(items).Draw(t, "item")
	if depth > 0 {
		a := func() string { return condition(t, depth-1, items...) }
		switch rapid.IntRange(0, 6).Draw(t, "condition") {
		case 0:
			return "(" + a() + " && " + a() + ")"
		case 1:
			return "(" + a() + " || " + a() + ")"
		case 2:
			return "!(" + a() + ")"
		case 3, 4:
			return "(" + a() + rapid.SampledFrom([]string{" == ", " == ", " != "}).Draw(t, "equal") + a() + ")"
		case 5:
			return "(" + a() + " ? " + a() + " : " + a() + ")"
		}
	}
	y := rapid.SampledFrom(items).Draw(t, "other")
	return rapid.SampledFrom([]string{
		"has(" + x + ".k)", "has(" + x + ".n)", "has(" + x + ".m)", x + ".k == ''", "(!has(" + x + ".k) || " + x + ".k == '')", x + ".n > 1",
		"size(" + x + ".m) <= 1",
		x + ".n == " + y + ".n", x + ".k == " + y + ".k", "(has(" + x + ".k) && has(" + y + ".k) && " + x + ".k == " + y + ".k)", "true",
	}).Draw(t, "atom")
}

// pairs draws an old condition on two items, and a new condition that may follow from it.
func pairs(t *rapid.T) (old, new string) {
	a, b, g := condition(t, 1, "x", "y"), condition(t, 1, "x", "y"), condition(t, 1, "x", "y")
	forms := []string{
		"(%[1]s) && (%[2]s) || !(%[1]s) && !(%[2]s)", "(%[1]s) == (%[2]s)", "(!(%[1]s) || (%[2]s)) && (!(%[2]s) || (%[1]s))",
		"(%[1]s) != (%[2]s)", "(%[1]s) != !(%[2]s)", "(%[1]s)", "(%[1]s) && (%[2]s)", "(%[1]s) && ((%[2]s) ? (%[2]s) : true)",
		"(%[1]s) ? (%[2]s) : !(%[2]s)",
	}
	form := func(label string) string {
		return fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, label), a, b)
	}
	old, new = form("old form"), form("new form")
	if rapid.Bool().Draw(t, "guarded") {
		old, new = "("+g+") ? ("+old+") : true", "("+g+") ? ("+new+") : true"
	}
	return old, new
}

func TestImplies_HoldsForAllLists(t *testing.T) {
	for name, draw := range map[string]func(t *rapid.T) (old []string, new string){
		"of pairs": func(t *rapid.T) ([]string, string) {
			old, new := pairs(t)
			return []string{"self.l.all(x, self.l.all(y, " + old + "))"}, "self.l.all(x, self.l.all(y, " + new + "))"
		},
		"exactly one": func(t *rapid.T) ([]string, string) {
			old, new := pairs(t)
			if rapid.Bool().Draw(t, "symmetric") {
				old = rapid.SampledFrom([]string{"x.n == y.n", "x.k == y.k", "has(x.k) && has(y.k) ? x.k == y.k : true",
					"x.n == y.n && x.k == y.k"}).Draw(t, "same")
				new = "(" + old + ") && (" + rapid.SampledFrom([]string{
					condition(t, 1, "x", "y"), "has(x.k) == has(y.k)", "has(x.k) ? has(y.k) && x.k == y.k : !has(y.k)", "size(x.m) == size(y.m)",
				}).Draw(t, "more") + ")"
			}
			rules := []string{"self.l.all(x, self.l.exists_one(y, " + old + "))"}
			if rapid.Bool().Draw(t, "items known") {
				rules = append(rules, "self.l.all(x, "+rapid.SampledFrom([]string{condition(t, 1, "x"), "type(x.k) == string",
					"!has(x.k) || type(x.k) == string"}).Draw(t, "known")+")")
			}
			return rules, "self.l.all(x, self.l." + rapid.SampledFrom([]string{"exists_one", "exists_one", "exists"}).Draw(t,
				"macro") + "(y, " + new + "))"
		},
		"sums": func(t *rapid.T) ([]string, string) {
			return facts(t), sum(t, 3) + rapid.SampledFrom([]string{" <= ", " < ", " > ", " >= ", " == ", " != "}).Draw(t, "order") +
				fmt.Sprint(rapid.IntRange(-1, 8).Draw(t, "bound"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			proved, asked := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				old, implied := draw(t)
				if !Implies(old, implied) {
					return
				}
				proved++
				evaluate := compile(t, implied)
				var given []func(map[string]any) string
				for _, rule := range old {
					given = append(given, compile(t, rule))
				}
				for _, object := range itemLists {
					if slices.ContainsFunc(given, func(rule func(map[string]any) string) bool { return rule(object) != "true" }) {
						continue
					}
					asked++
					if evaluate(object) != "true" {
						t.Fatalf("%q is said to imply %q, which is %s for %v", old, implied, evaluate(object), object)
					}
				}
			})
			require.Positive(t, proved, "some rules are proved")
			require.Positive(t, asked, "some objects meet the old rules")
			t.Logf("%d proved, %d times asked", proved, asked)
		})
	}
}

// facts draws rules that bound sizes.
func facts(t *rapid.T) []string {
	n := func() string { return fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "n")) }
	some := []string{
		"size(self.l) <= " + n(), "size(self.l) >= " + n(), "has(self.l)", "has(self.c)", "self.l.all(x, has(x.m) && size(x.m) <= " + n() + ")",
		"self.l.all(x, size(x.m) >= " + n() + ")", "self.l.all(x, !has(x.m) || size(x.m) <= " + n() + ")", "self.l.all(x, has(x.n))",
		"self.l.all(x, type(x.n) == int && x.n >= 1 && x.n < 3)", "has(self.c) && type(self.c) == int && self.c in [0, 1]",
		"self.l.all(x, " + condition(t, 2, "x") + ")", "!has(self.c) || self.c > 0",
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(some), 1, 4, rapid.ID[string]).Draw(t, "facts")
}

// sum draws a sum of sizes.
func sum(t *rapid.T, terms int) string {
	at := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "at"))
	term := rapid.SampledFrom([]string{
		"(size(self.l) > " + at + " ? size(self.l[" + at + "].m) : 0)", "(size(self.l) > " + at + " ? size(self.l[" + at + "].m) : 0)",
		"(self.l.size() > " + at + " && has(self.l[" + at + "].m) ? self.l[" + at + "].m.size() : 0)", "size(self.l)",
		"self.l[" + at + "].m.size()",
		"(size(self.l) >= " + at + " ? size(self.l[" + at + "].m) : 1)", "(has(self.c) ? 1 : 0)", "self.c",
		"(size(self.l) > " + at + " ? self.l[" + at + "].n : 0)",
		"(self.c == 1 ? 1 : 2)", "(has(self.l[" + at + "].n) ? 1 : 0)", at,
		"(" + condition(t, 1, "self.l["+at+"]") + " ? 1 : 0)",
	}).Draw(t, "term")
	if terms == 1 || rapid.IntRange(0, 2).Draw(t, "last") == 0 {
		return term
	}
	return term + rapid.SampledFrom([]string{" + ", " + ", " - ", " * "}).Draw(t, "operator") + sum(t, terms-1)
}
