// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// page is a position in a search: the page number from 0 and the number of entries per page.
type page struct{ page, limit int }

// pageError is one entry of details for an invalid page or limit. It has the format of the errors
// of the yup library.
type pageError struct {
	Value   map[string]any `json:"value"`
	Path    string         `json:"path"`
	Type    string         `json:"type"`
	Errors  []string       `json:"errors"`
	Params  map[string]any `json:"params"`
	Inner   []any          `json:"inner"`
	Name    string         `json:"name"`
	Message string         `json:"message"`
}

// paginate reads page and limit from the query and the body, which takes precedence. The real API
// does this for every request, before it checks credentials.
func (r *request) paginate() *apiError {
	merged := map[string]any{}
	for k, v := range r.query {
		merged[k] = v[0]
	}
	maps.Copy(merged, r.body)
	original := maps.Clone(merged)
	var bad *pageError
	number := func(path string, fallback, minimum, maximum int) int {
		n, e := boundedNumber(path, original[path], fallback, minimum, maximum)
		merged[path] = n
		if bad == nil {
			bad = e
		}
		return n
	}
	r.page.limit = number("limit", 100, 1, 1000)
	r.page.page = number("page", 0, 0, 1<<40)
	if bad == nil {
		return nil
	}
	bad.Value = merged
	return invalid("Invalid pagination: "+bad.Message, []*pageError{bad})
}

func boundedNumber(path string, original any, fallback, minimum, maximum int) (int, *pageError) {
	if original == nil {
		return fallback, nil
	}
	var n float64
	switch v := original.(type) {
	case float64:
		n = v
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return 0, notANumber(path, original)
		}
		n = parsed
	default:
		return 0, notANumber(path, original)
	}
	switch {
	case n < float64(minimum):
		return int(n), newPageError(path, "min", fmt.Sprintf("%s must be greater than or equal to %d", path, minimum),
			map[string]any{"value": n, "originalValue": original, "path": path, "min": minimum})
	case n > float64(maximum):
		return int(n), newPageError(path, "max", fmt.Sprintf("%s must be less than or equal to %d", path, maximum),
			map[string]any{"value": n, "originalValue": original, "path": path, "max": maximum})
	}
	return int(n), nil
}

func notANumber(path string, original any) *pageError {
	shown, _ := json.Marshal(original) // the value was decoded from JSON or a query string
	return newPageError(path, "typeError",
		fmt.Sprintf("%s must be a `number` type, but the final value was: `NaN` (cast from the value `%s`).", path, shown),
		map[string]any{"value": nil, "originalValue": original, "path": path, "type": "number"})
}

func newPageError(path, kind, message string, params map[string]any) *pageError {
	return &pageError{Path: path, Type: kind, Errors: []string{message}, Params: params, Inner: []any{},
		Name: "ValidationError", Message: message}
}
