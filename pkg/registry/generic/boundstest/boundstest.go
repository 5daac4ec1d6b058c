// SPDX-License-Identifier: Apache-2.0

// Package boundstest tests that the validation of a kind bounds every list, map and string.
package boundstest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/registry/generic"
)

const (
	// hugeText exceeds the longest valid text of an API object, the message of a condition (32
	// KiB).
	hugeText = 64 << 10
	// hugeCount exceeds the largest valid length of a list or map.
	hugeCount = 5000
)

// RequireBounded enlarges each string, list and map in spec and status of valid objects, one at a
// time, and requires that validation refuses each. Every such field must be set in at least one of
// the objects; fields that exclude each other are set in different objects.
func RequireBounded[T generic.Object](t *testing.T, kind generic.Kind[T], valid ...func() T) {
	t.Helper()
	gv := kind.Versions[0]
	ctx := genericapirequest.WithNamespace(t.Context(), "team")
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: gv.Group, APIVersion: gv.Version, Resource: kind.Resource.Resource,
	})
	main := generic.NewStrategy(kind)
	tried := map[string]bool{}
	for _, newObject := range valid {
		for half, validate := range map[string]func(context.Context, T) field.ErrorList{
			"Spec":   func(ctx context.Context, changed T) field.ErrorList { return rest.ValidateCreate(ctx, changed, main) },
			"Status": func(_ context.Context, changed T) field.ErrorList { return kind.ValidateStatus(changed, newObject()) },
		} {
			if !has(newObject(), half) {
				continue
			}
			require.Emptyf(t, validate(ctx, newObject()), "%s of the object before it is changed", half)
			for _, place := range places(reflect.ValueOf(newObject()).Elem().FieldByName(half), half) {
				changed := newObject()
				place.enlarge(reflect.ValueOf(changed).Elem().FieldByName(half))
				assert.NotEmptyf(t, validate(ctx, changed), "%s is not bounded", place.path)
				tried[place.path] = true
			}
		}
	}
	for _, half := range []string{"Spec", "Status"} {
		named, there := reflect.TypeOf(kind.New()).Elem().FieldByName(half)
		if !there {
			continue
		}
		for _, path := range paths(named.Type, half) {
			assert.Truef(t, tried[path], "%s is empty in every object of the test", path)
		}
	}
}

// has reports whether a kind has the half: some kinds have no status.
func has[T generic.Object](object T, half string) bool {
	return reflect.ValueOf(object).Elem().FieldByName(half).IsValid()
}

// opaque types need no bounds: quantities and times have a short canonical form, and claims of pods
// are always refused.
var opaque = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[corev1.ResourceClaim]()}

// place is one string, list or map, and the function that enlarges it in a value of the root type.
type place struct {
	path    string
	enlarge func(reflect.Value)
}

// within converts places of a part into places of the value that contains it.
func within(inner []place, part func(reflect.Value) reflect.Value) []place {
	for i := range inner {
		enlarge := inner[i].enlarge
		inner[i].enlarge = func(whole reflect.Value) { enlarge(part(whole)) }
	}
	return inner
}

// places returns the strings, lists and maps of a value.
func places(value reflect.Value, path string) []place {
	if slices.Contains(opaque, value.Type()) {
		return nil
	}
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return within(places(value.Elem(), path), reflect.Value.Elem)
	case reflect.Struct:
		var all []place
		for i := range value.NumField() {
			all = append(all, within(places(value.Field(i), path+"."+value.Type().Field(i).Name),
				func(v reflect.Value) reflect.Value { return v.Field(i) })...)
		}
		return all
	case reflect.Slice:
		all := []place{{path, manyItems}}
		if value.Len() > 0 {
			all = append(all, within(places(value.Index(0), path+"[]"), func(v reflect.Value) reflect.Value { return v.Index(0) })...)
		}
		return all
	case reflect.Map:
		all := []place{{path, manyEntries}, {path + "[key]", longKey}}
		if value.Type().Elem().Kind() == reflect.String {
			all = append(all, place{path + "[value]", longValue})
		}
		return all
	case reflect.String:
		return []place{{path, func(v reflect.Value) { v.SetString(strings.Repeat("a", hugeText)) }}}
	}
	return nil
}

// paths returns the paths of all strings, lists and maps of a type.
func paths(kind reflect.Type, path string) []string {
	if slices.Contains(opaque, kind) {
		return nil
	}
	switch kind.Kind() {
	case reflect.Pointer:
		return paths(kind.Elem(), path)
	case reflect.Struct:
		var all []string
		for i := range kind.NumField() {
			all = append(all, paths(kind.Field(i).Type, path+"."+kind.Field(i).Name)...)
		}
		return all
	case reflect.Slice:
		return append([]string{path}, paths(kind.Elem(), path+"[]")...)
	case reflect.Map:
		all := []string{path, path + "[key]"}
		if kind.Elem().Kind() == reflect.String {
			all = append(all, path+"[value]")
		}
		return all
	case reflect.String:
		return []string{path}
	}
	return nil
}

func manyItems(list reflect.Value) {
	items := reflect.MakeSlice(list.Type(), hugeCount, hugeCount)
	for i := range hugeCount {
		if list.Len() > 0 {
			items.Index(i).Set(list.Index(0))
		}
		distinguish(items.Index(i), i)
	}
	list.Set(items)
}

// distinguish changes the first text of an item, so that validation does not refuse it as a
// duplicate.
func distinguish(item reflect.Value, number int) {
	switch item.Kind() {
	case reflect.String:
		item.SetString(fmt.Sprintf("item-%d", number))
	case reflect.Struct:
		for i := range item.NumField() {
			if item.Field(i).Kind() == reflect.String {
				item.Field(i).SetString(fmt.Sprintf("item-%d", number))
				return
			}
		}
	}
}

func anyValue(entries reflect.Value) reflect.Value {
	for _, key := range entries.MapKeys() {
		return entries.MapIndex(key)
	}
	return reflect.Zero(entries.Type().Elem())
}

func setEntry(entries reflect.Value, key string, value reflect.Value) {
	entries.SetMapIndex(reflect.ValueOf(key).Convert(entries.Type().Key()), value)
}

func manyEntries(entries reflect.Value) {
	value := anyValue(entries)
	entries.Set(reflect.MakeMap(entries.Type()))
	for i := range hugeCount {
		setEntry(entries, fmt.Sprintf("key-%d", i), value)
	}
}

func longKey(entries reflect.Value) {
	value := anyValue(entries)
	entries.Set(reflect.MakeMap(entries.Type()))
	setEntry(entries, strings.Repeat("a", hugeText), value)
}

func longValue(entries reflect.Value) {
	entries.Set(reflect.MakeMap(entries.Type()))
	setEntry(entries, "key", reflect.ValueOf(strings.Repeat("a", hugeText)).Convert(entries.Type().Elem()))
}
