// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/structure"
)

// Digest identifies a change: "sha256:" and the hash of both specs as JSON, with the defaults of v1,
// with values in canonical form and without caBundle, which other controllers inject and rotate. Nil
// stands for a CRD that does not exist. Digest returns "" for schemas that are nested too deep to be
// compared.
func Digest(old, new *apiextensionsv1.CustomResourceDefinition) string {
	hash := sha256.New()
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{old, new} {
		encoded, ok := canonicalSpec(definition)
		if !ok {
			return ""
		}
		hash.Write(encoded)
		hash.Write([]byte("\n"))
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}

func canonicalSpec(definition *apiextensionsv1.CustomResourceDefinition) (encoded []byte, ok bool) {
	if definition == nil {
		return []byte("null"), true
	}
	compared := manifest.ComparedSpec(definition)
	spec := compared.DeepCopy()
	for i := range spec.Versions {
		if spec.Versions[i].Schema == nil {
			continue
		}
		schema := spec.Versions[i].Schema.OpenAPIV3Schema
		if manifest.DeeperThan(schema, manifest.DeepestSchema) {
			return nil, false
		}
		canonicaliseValues(schema)
	}
	encoded, err := json.Marshal(spec)
	return encoded, err == nil
}

// canonicaliseValues rewrites the values in a schema in canonical form.
func canonicaliseValues(schema *apiextensionsv1.JSONSchemaProps) {
	if schema == nil {
		return
	}
	for _, value := range []*apiextensionsv1.JSON{schema.Default, schema.Example} {
		if value != nil {
			value.Raw = []byte(structure.Canonical(*value))
		}
	}
	for i := range schema.Enum {
		schema.Enum[i].Raw = []byte(structure.Canonical(schema.Enum[i]))
	}
	manifest.EachChild(schema, func(_ string, child *apiextensionsv1.JSONSchemaProps) { canonicaliseValues(child) })
}
