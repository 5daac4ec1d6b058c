// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// section returns the text below a heading of the second level, up to the next one.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, found, heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// fields adds the names of all fields of one of Roadstead's types and of the types in it.
// References are left out because they are explained separately.
func fields(kind reflect.Type, into map[string]bool) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind.PkgPath() != reflect.TypeFor[v1alpha1.User]().PkgPath() ||
		strings.HasSuffix(kind.Name(), "Reference") {
		return
	}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		into[name] = true
		fields(kind.Field(i).Type, into)
	}
}

func TestEveryFieldIsExplained(t *testing.T) {
	page := read(t, filepath.Join(root, "docs", "takaro.md"))
	for heading, types := range map[string][]any{
		"Domain":     {v1alpha1.DomainSpec{}, v1alpha1.DomainStatus{}},
		"MockServer": {v1alpha1.MockServerSpec{}, v1alpha1.MockServerStatus{}},
		"User":       {v1alpha1.UserSpec{}, v1alpha1.UserStatus{}},
	} {
		text := section(t, page, heading)
		all := map[string]bool{}
		for _, one := range types {
			fields(reflect.TypeOf(one), all)
		}
		require.Greater(t, len(all), 12, heading)
		for name := range all {
			named := regexp.MustCompile("`(?:\\w+)?\\.?" + regexp.QuoteMeta(name) + "(?:\\.\\w+)?`")
			assert.Truef(t, named.MatchString(text), "docs/takaro.md does not explain the field %s of %s", name, heading)
		}
	}
}
