// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forms are the values that the real API chooses. The values of the stand-in must have the same
// form.
var forms = []struct {
	name      string
	form      *regexp.Regexp
	injective bool // two recorded values never have the same counterpart
}{
	{"uuid", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`), true},
	{"session token", regexp.MustCompile(`^ory_st_[A-Za-z0-9]{32}$`), true},
	// Two tokens of one domain in the same second are equal: they differ only in iat and exp.
	{"domain token", regexp.MustCompile(`^eyJ[\w-]+\.[\w-]+\.[\w-]+$`), false},
	{"registration token", regexp.MustCompile(`^[A-Za-z0-9+/]{43}=$`), true},
	{"password", regexp.MustCompile(`^[0-9a-f]{40}$`), true},
	{"domain id", regexp.MustCompile(`^[a-z]+-[a-z]+-[a-z]+$`), true},
}

var timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// bindings are the pairs of recorded and actual values found so far.
type bindings struct {
	ours, theirs map[string]string // recorded → actual and back
	times        map[string]string // object, key and recorded time → actual time
	changes      map[string]string // object, key and actual time → recorded time
}

func newBindings() *bindings {
	return &bindings{ours: map[string]string{}, theirs: map[string]string{}, times: map[string]string{}, changes: map[string]string{}}
}

// toOurs replaces every recorded value in a text by its actual one, the longest first.
func (b *bindings) toOurs(text string) string {
	recorded := make([]string, 0, len(b.ours))
	for r := range b.ours {
		recorded = append(recorded, r)
	}
	sort.Slice(recorded, func(i, j int) bool {
		return len(recorded[i]) > len(recorded[j]) || len(recorded[i]) == len(recorded[j]) && recorded[i] < recorded[j]
	})
	pairs := make([]string, 0, 2*len(recorded))
	for _, r := range recorded {
		pairs = append(pairs, r, b.ours[r])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// compare checks that structure and values are the same. The object is the id of the enclosing
// object, to which times belong.
func (b *bindings) compare(t *testing.T, name, path, object string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		g, isObject := got.(map[string]any)
		require.True(t, isObject, "%s: %s: want an object, have %v", name, path, got)
		require.Equal(t, sortedKeys(want), sortedKeys(g), "%s: keys of %s", name, path)
		if want["type"] == "Buffer" {
			requireBytes(t, name, want["data"], g["data"])
			return
		}
		if id, has := want["id"].(string); has {
			object = id
		}
		for _, k := range sortedKeys(want) {
			b.compare(t, name, path+"."+k, object, want[k], g[k])
		}
	case []any:
		g, isList := got.([]any)
		require.True(t, isList, "%s: %s: want a list, have %v", name, path, got)
		require.Len(t, g, len(want), "%s: %s", name, path)
		for i := range want {
			b.compare(t, name, path+"[]", object, want[i], g[i])
		}
	case string:
		g, isText := got.(string)
		require.True(t, isText, "%s: %s: want a text, have %v", name, path, got)
		b.compareText(t, name, path, object, want, g)
	default:
		require.Equal(t, want, got, "%s: %s", name, path)
	}
}

func (b *bindings) compareText(t *testing.T, name, path, object, want, got string) {
	t.Helper()
	if timeForm.MatchString(want) {
		require.Regexp(t, timeForm, got, "%s: %s", name, path)
		key := object + path[strings.LastIndexByte(path, '.'):]
		if seen, has := b.times[key+want]; has {
			require.Equal(t, seen, got, "%s: %s changed although the recorded one did not", name, path)
		}
		if seen, has := b.changes[key+got]; has {
			require.Equal(t, seen, want, "%s: %s did not change although the recorded one did", name, path)
		}
		b.times[key+want], b.changes[key+got] = got, want
		return
	}
	for _, f := range forms {
		// The API does not choose a value that the recorded requests contain: it returns it
		// unchanged.
		if !f.form.MatchString(want) || strings.Contains(path, "details") || strings.HasSuffix(path, "externalReference") {
			continue
		}
		require.Regexp(t, f.form, got, "%s: %s: no %s", name, path, f.name)
		if seen, has := b.ours[want]; has {
			require.Equal(t, seen, got, "%s: %s: another %s than before", name, path, f.name)
		}
		if seen, has := b.theirs[got]; has && f.injective {
			require.Equal(t, seen, want, "%s: %s: the %s of something else", name, path, f.name)
		}
		b.ours[want], b.theirs[got] = got, want
		return
	}
	require.Equal(t, b.toOurs(want), got, "%s: %s", name, path)
}

// requireBytes compares encrypted bytes: their number and the header that does not depend on the
// key.
func requireBytes(t *testing.T, name string, want, got any) {
	t.Helper()
	w, g := want.([]any), got.([]any)
	require.Len(t, g, len(w), name)
	require.Equal(t, w[:6], g[:6], name)
	for _, b := range g {
		require.GreaterOrEqual(t, b.(float64), 0.0, name)
		require.LessOrEqual(t, b.(float64), 255.0, name)
	}
}
