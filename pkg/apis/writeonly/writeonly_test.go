// SPDX-License-Identifier: Apache-2.0

package writeonly

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func TestStringHidesItself(t *testing.T) {
	value := String("a-secret")
	for _, verb := range []string{"%v", "%s", "%q", "%+v", "%#v"} {
		assert.NotContains(t, fmt.Sprintf(verb, value), "a-secret", verb)
		assert.NotContains(t, fmt.Sprintf(verb, struct{ P *String }{&value}), "a-secret", verb)
	}
	assert.NotContains(t, value.MarshalLog(), "a-secret")
	assert.Equal(t, "a-secret", string(value))
}

func TestScrubApplied(t *testing.T) {
	const key = corev1.LastAppliedConfigAnnotation
	for name, c := range map[string]struct{ before, after map[string]string }{
		"none":            {nil, nil},
		"other ones":      {map[string]string{"a": "b"}, map[string]string{"a": "b"}},
		"without a field": {map[string]string{key: `{"spec":{"a":1}}`}, map[string]string{key: `{"spec":{"a":1}}`}},
		"without a spec":  {map[string]string{key: `{"spec":null}`}, map[string]string{key: `{"spec":null}`}},
		"with it": {map[string]string{"a": "b", key: `{"spec":{"password":"x","b":[1]}}`}, map[string]string{"a": "b",
			key: `{"spec":{"b":[1]}}` + "\n"}},
		"null":          {map[string]string{key: `{"spec":{"password":null}}`}, map[string]string{key: `{"spec":{}}` + "\n"}},
		"twice":         {map[string]string{key: `{"spec":{"password":"x","password":"y"}}`}, map[string]string{key: `{"spec":{}}` + "\n"}},
		"a spec twice":  {map[string]string{key: `{"spec":{"password":"x"},"spec":{"a":1}}`}, map[string]string{key: `{"spec":{"a":1}}` + "\n"}},
		"not JSON":      {map[string]string{"a": "b", key: `password: x`}, map[string]string{"a": "b"}},
		"not an object": {map[string]string{key: `["x"]`}, map[string]string{}},
	} {
		copied, _ := json.Marshal(c.before)
		assert.Equal(t, c.after, ScrubApplied(c.before, "spec", "password"), name)
		unchanged, _ := json.Marshal(c.before)
		assert.Equal(t, string(copied), string(unchanged), "the given map is not changed")
	}
}

func TestScrubAppliedNeverKeepsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.MapOf(rapid.StringMatching(`[a-z]{1,8}`), rapid.StringMatching(`[a-z]{0,4}`)).Draw(t, "fields")
		fields["password"] = "THE-SECRET"
		document, _ := json.Marshal(map[string]any{"kind": "User", "spec": fields})
		after := ScrubApplied(map[string]string{corev1.LastAppliedConfigAnnotation: string(document)}, "spec",
			"password")[corev1.LastAppliedConfigAnnotation]
		assert.NotContains(t, after, "THE-SECRET")
		var parsed struct{ Spec map[string]string }
		assert.NoError(t, json.Unmarshal([]byte(after), &parsed))
		delete(fields, "password")
		assert.Equal(t, fields, parsed.Spec, "the rest stays")
	})
}
