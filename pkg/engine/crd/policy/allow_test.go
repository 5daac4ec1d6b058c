// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

// at returns a CRD as it is stored in a generation.
func at(definition *apiextensionsv1.CustomResourceDefinition, generation int64) *apiextensionsv1.CustomResourceDefinition {
	definition.Generation = generation
	return definition
}

func TestAllows_OneDigestAndGeneration(t *testing.T) {
	assert.Equal(t, "sha256:0a@7", AllowChange("sha256:0a", 7))
	for name, tc := range map[string]struct {
		value       string
		first, last int64
		want        bool
	}{
		"this generation":         {"sha256:0a@7", 7, 7, true},
		"a generation in between": {"sha256:0a@7", 5, 9, true},
		"an earlier generation":   {"sha256:0a@6", 7, 7, false},
		"a later generation":      {"sha256:0a@8", 7, 7, false},
		"no generation":           {"sha256:0a", 0, 7, false},
		"an empty generation":     {"sha256:0a@", 0, 7, false},
		"another spelling":        {"sha256:0a@+7", 7, 7, false},
		"leading zeros":           {"sha256:0a@07", 7, 7, false},
		"another digest":          {"sha256:0b@7", 7, 7, false},
		"a longer digest":         {"sha256:0ab@7", 7, 7, false},
		"nothing":                 {"", 0, 7, false},
	} {
		assert.Equal(t, tc.want, Allows(tc.value, "sha256:0a", tc.first, tc.last), name)
	}
	assert.False(t, Allows("@7", "", 7, 7), "a change without a digest cannot be allowed")
}

func TestAllowChange_OneShot(t *testing.T) {
	digest := compare.Digest(sized(), narrowed())
	value := AllowChange(digest, 7)
	request := request(t, admissionv1.Update, "", at(annotated(sized(), AllowChangeAnnotation, value), 7), narrowed())
	request.DryRun = new(bool)
	*request.DryRun = true
	for range 2 {
		assert.Equal(t, AllowedOnce, review(t, Options{}, request).Decision, "a dry run does not consume the value")
	}

	// The spec changed in generation 8, reverted in generation 9, and is repeated.
	answer := update(t, Options{}, at(annotated(sized(), AllowChangeAnnotation, value), 9), narrowed())
	require.Equal(t, Denied, answer.Decision)
	assert.Contains(t, answer.Response.Result.Message, "allows this change of generation 7 only, but the stored CRD has generation 9")
	assert.Contains(t, answer.Response.Result.Message, "roadstead.dev/allow-change="+AllowChange(digest, 9)+" --overwrite")
	require.Len(t, answer.Response.Warnings, 1, "kubectl does not print the message")
	assert.Contains(t, answer.Response.Warnings[0], "generation 7")
}
