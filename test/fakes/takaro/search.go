// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// row is an object of a search: its columns by API name. A value is a string, a bool, an int, nil
// (NULL), or for roleId of a user the list of all values.
type row interface{ column(name string) (any, bool) }

// find applies filters, search, ranges, order and page of a search body to rows. It returns the
// page and the total before paging.
func find[R row](rows []R, r *request) ([]R, int, *apiError) {
	filters, _ := r.body["filters"].(map[string]any)
	search, _ := r.body["search"].(map[string]any)
	if e := wantArrays(filters); e != nil {
		return nil, 0, e
	}
	if e := wantArrays(search); e != nil {
		return nil, 0, e
	}
	for _, key := range []string{"greaterThan", "lessThan"} {
		ranges, _ := r.body[key].(map[string]any)
		if e := wantColumns(rows, sortedKeys(ranges)); e != nil {
			return nil, 0, e
		}
	}
	by, _ := r.body["sortBy"].(string)
	if by == "" {
		by = "id"
	}
	if e := wantColumns(rows, []string{by}); e != nil {
		return nil, 0, e
	}
	kept := slices.DeleteFunc(rows, func(x R) bool {
		return !filtered(x, filters) || !searched(x, search) || !within(x, r.body["greaterThan"], 1) || !within(x, r.body["lessThan"], -1)
	})
	order := 1
	if r.body["sortDirection"] == "desc" {
		order = -1
	}
	slices.SortStableFunc(kept, func(a, b R) int {
		va, _ := a.column(by)
		vb, _ := b.column(by)
		return order * compare(va, vb)
	})
	total := len(kept)
	start := total
	if r.page.page <= total/r.page.limit {
		start = min(r.page.page*r.page.limit, total)
	}
	return kept[start:min(start+r.page.limit, total)], total, nil
}

// wantColumns answers 500 for a column that the table does not have, as the real API does for the
// error of the database.
func wantColumns[R row](rows []R, names []string) *apiError {
	if len(rows) == 0 {
		return nil
	}
	for _, name := range names {
		if _, known := rows[0].column(name); !known {
			return internal()
		}
	}
	return nil
}

func wantArrays(values map[string]any) *apiError {
	for _, key := range sortedKeys(values) {
		switch v := values[key].(type) {
		case []any, bool, nil:
		default:
			return badRequest(fmt.Sprintf(`Filter values must be arrays or boolean. Found invalid value for '%s': '%v'. Example: { %s: ["%v"] }`,
				key, v, key, v))
		}
	}
	return nil
}

// filtered reports whether a row matches the filters exactly: values of one key are alternatives,
// an empty list means no filter, "null" means IS NULL.
func filtered(x row, filters map[string]any) bool {
	for key, wanted := range filters {
		list, isList := wanted.([]any)
		if b, isBool := wanted.(bool); isBool {
			list, isList = []any{b}, true
		}
		if !isList || len(list) == 0 {
			continue
		}
		value, _ := x.column(key)
		if !slices.ContainsFunc(list, func(w any) bool { return matches(value, w) }) {
			return false
		}
	}
	return true
}

func matches(value, wanted any) bool {
	switch v := value.(type) {
	case nil:
		return wanted == "null"
	case []string:
		w, isText := wanted.(string)
		return isText && slices.Contains(v, w)
	}
	return value == wanted
}

// searched reports whether a row contains a searched value, ignoring case. All values of all keys
// are alternatives.
func searched(x row, search map[string]any) bool {
	asked := false
	for key, wanted := range search {
		list, _ := wanted.([]any)
		value, _ := x.column(key)
		for _, w := range list {
			asked = true
			v, isText := value.(string)
			if isText && strings.Contains(strings.ToLower(v), strings.ToLower(fmt.Sprint(w))) {
				return true
			}
		}
	}
	return !asked
}

// within reports whether a row is >= (direction 1) or <= (direction -1) every key of the range.
func within(x row, ranges any, direction int) bool {
	limits, _ := ranges.(map[string]any)
	for key, limit := range limits {
		value, _ := x.column(key)
		if n, isNumber := limit.(float64); isNumber {
			limit = int(n)
		}
		if value == nil || compare(value, limit)*direction < 0 {
			return false
		}
	}
	return true
}

// compare orders two values of a column. NULL sorts last, as in PostgreSQL.
func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		if b, same := b.(string); same {
			return cmp.Compare(a, b)
		}
	case int:
		if b, same := b.(int); same {
			return cmp.Compare(a, b)
		}
	}
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
