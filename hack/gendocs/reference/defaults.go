// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/test/framework/served"
)

// fixedDefaults returns the values that the server sets in an object of a kind by path. It applies
// the defaults to an object in which every struct of Roadstead's is present and empty. A default
// that depends on other values is described in the field's comment.
func fixedDefaults(kind schema.GroupVersionKind) (map[string]string, error) {
	object, err := served.New(kind)
	if err != nil {
		return nil, err
	}
	ours := reflect.TypeOf(object).Elem().PkgPath()
	fill(reflect.ValueOf(object).Elem(), ours, nil)
	before, err := leaves(object)
	if err != nil {
		return nil, err
	}
	apiserver.Scheme.Default(object)
	after, err := leaves(object)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(after, func(path, text string) bool { return before[path] == text })
	return after, nil
}

// fill creates every struct of a package that a pointer or list may contain. It stops at a type
// within itself.
func fill(value reflect.Value, pkg string, within []reflect.Type) {
	for _, outer := range within {
		if outer == value.Type() {
			return
		}
	}
	for i := range value.NumField() {
		field := value.Field(i)
		if field.Kind() == reflect.Pointer && isOurs(field.Type().Elem(), pkg) {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if field.Kind() == reflect.Slice && isOurs(field.Type().Elem(), pkg) {
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
			field = field.Index(0)
		}
		if isOurs(field.Type(), pkg) {
			fill(field, pkg, append(within, value.Type()))
		}
	}
}

func isOurs(kind reflect.Type, pkg string) bool {
	return kind.Kind() == reflect.Struct && kind.PkgPath() == pkg
}

// leaves returns the JSON text of every leaf of an object, by path.
func leaves(object runtime.Object) (map[string]string, error) {
	content, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(content, &tree); err != nil {
		return nil, err
	}
	found := map[string]string{}
	collect(tree, "", found)
	return found, nil
}

func collect(tree any, path string, found map[string]string) {
	switch tree := tree.(type) {
	case map[string]any:
		for name, below := range tree {
			collect(below, join(path, name), found)
		}
	case []any:
		for _, below := range tree {
			collect(below, path+"[]", found)
		}
	case nil:
	default:
		found[path] = fmt.Sprint(tree)
	}
}
