// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// row is one field of a kind.
type row struct {
	// Path is relative to the root of the object, such as spec.valuesFrom[].secretRef.name.
	Path string
	// Type describes the type for users.
	Type string
	// Rules are required, immutable, the default and limits.
	Rules []string
	// Meaning is the comment of the field.
	Meaning string
}

// collector walks the types of one version.
type collector struct {
	source *source
	// defaults are keyed by path.
	defaults map[string]string
	rows     []row
}

// structFields adds the fields of a struct type at a path, each followed by its nested fields. The
// enclosing types are in within, so that the recursion stops at a recursive type.
func (c *collector) structFields(name, path string, within []string) error {
	for _, outer := range within {
		if outer == name {
			return nil
		}
	}
	declared := c.source.types[name]
	fields, ok := declared.expr.(*ast.StructType)
	if !ok {
		return fmt.Errorf("%s is no struct", name)
	}
	for _, field := range fields.Fields.List {
		json, err := jsonName(field)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if json == "" || json == "metadata" {
			continue // the type and the metadata of every object
		}
		if err := c.field(field, join(path, json), append(within, name)); err != nil {
			return err
		}
	}
	return nil
}

// field adds one field and its nested fields.
func (c *collector) field(field *ast.Field, path string, within []string) error {
	text, tags := comment(field.Doc)
	words, inner, suffix := c.typeOf(field.Type)
	row := row{Path: path, Type: words, Meaning: nameInJSON(text, field.Names[0].Name, path)}
	if tags.has("required") && !tags.has("optional") {
		row.Rules = append(row.Rules, "required")
	}
	if tags.has("immutable") {
		row.Rules = append(row.Rules, "immutable")
	}
	if given, ok := c.defaults[path]; ok {
		row.Rules = append(row.Rules, "default `"+given+"`")
	}
	row.Rules = append(row.Rules, limits(tags)...)
	declared := c.source.types[inner]
	if declared != nil && len(declared.values) > 0 {
		row.Rules = append(row.Rules, "one of "+texts(declared.values))
		row.Meaning += meanings(declared.values)
	}
	c.rows = append(c.rows, row)
	if declared == nil {
		return nil
	}
	if _, isStruct := declared.expr.(*ast.StructType); !isStruct {
		return nil
	}
	return c.structFields(inner, path+suffix, within)
}

// typeOf returns a description of a type, the type of this package inside of it, and the suffix of
// a path into it.
func (c *collector) typeOf(expr ast.Expr) (words, inner, suffix string) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return c.typeOf(expr.X)
	case *ast.ArrayType:
		words, inner, suffix = c.typeOf(expr.Elt)
		if words == "byte" {
			return "bytes", "", ""
		}
		return "list of " + plural(words), inner, "[]" + suffix
	case *ast.MapType:
		words, inner, suffix = c.typeOf(expr.Value)
		return "map of " + plural(words), inner, ".*" + suffix
	case *ast.SelectorExpr:
		return foreign(expr), "", ""
	case *ast.Ident:
		declared := c.source.types[expr.Name]
		if declared == nil {
			return basic(expr.Name), "", ""
		}
		if _, isStruct := declared.expr.(*ast.StructType); isStruct {
			return "object", expr.Name, ""
		}
		words, _, suffix = c.typeOf(declared.expr)
		return words, expr.Name, suffix
	}
	return "object", "", ""
}

// basic returns the JSON type of a basic Go type.
func basic(name string) string {
	switch name {
	case "bool":
		return "boolean"
	case "int32", "int64":
		return "integer"
	}
	return name
}

// foreign returns a description of a type of another package. Kubernetes documents its own types.
func foreign(expr *ast.SelectorExpr) string {
	known := map[string]string{
		"metav1.Time":          "time",
		"metav1.MicroTime":     "time",
		"metav1.Duration":      "duration",
		"metav1.Condition":     "[condition](../concepts.md#conditions)",
		"runtime.RawExtension": "any object",
		"intstr.IntOrString":   "integer or string",
		"ownership.Status":     "object",
	}
	name := expr.X.(*ast.Ident).Name + "." + expr.Sel.Name
	if words, ok := known[name]; ok {
		return words
	}
	return expr.Sel.Name + " as in a pod"
}

func plural(words string) string {
	if head, tail, found := strings.Cut(words, "]("); found {
		return head + "s](" + tail
	}
	if strings.Contains(words, " ") && !strings.HasPrefix(words, "any ") {
		return words
	}
	return words + "s"
}

// jsonName returns the JSON name of a field, or "" for an inline field.
func jsonName(field *ast.Field) (string, error) {
	if field.Tag == nil {
		return "", fmt.Errorf("a field has no json tag")
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name, nil
}

// nameInJSON replaces the Go name at the beginning of a comment by the JSON name.
func nameInJSON(text, goName, path string) string {
	rest, found := strings.CutPrefix(text, goName)
	if !found || rest == "" || !strings.ContainsAny(rest[:1], " ,.") {
		return text
	}
	return "`" + path[strings.LastIndex(path, ".")+1:] + "`" + rest
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func texts(values []value) string {
	var all []string
	for _, value := range values {
		all = append(all, "`"+value.Text+"`")
	}
	return strings.Join(all, ", ")
}

// meanings returns a description of each value of an enum.
func meanings(values []value) string {
	var text strings.Builder
	for _, value := range values {
		fmt.Fprintf(&text, " `%s` %s", value.Text, value.Meaning)
	}
	return text.String()
}
