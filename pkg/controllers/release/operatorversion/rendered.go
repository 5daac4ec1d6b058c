// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// renderedCRD is a CRD as the chart renders it.
type renderedCRD struct {
	name string
	// manifest is the CRD without fields that the API server sets.
	manifest []byte
	// digest is the digest that the API server computes for the manifest.
	digest string
}

func renderedOf(member sets.Member) (renderedCRD, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(member.CRD)
	if err != nil {
		return renderedCRD{}, err
	}
	content["apiVersion"] = apiextensionsv1.SchemeGroupVersion.String()
	content["kind"] = "CustomResourceDefinition"
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"creationTimestamp", "managedFields", "resourceVersion", "uid", "generation", "selfLink"} {
			delete(metadata, field)
		}
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[schemas.OriginAnnotation] = string(schemas.OriginOf(member))
		metadata["annotations"] = annotations
	}
	manifest, err := json.Marshal(content)
	if err != nil {
		return renderedCRD{}, err
	}
	sum := sha256.Sum256(manifest)
	// A schema that is nested too deeply has no such digest. The API server rejects it.
	digest := cmp.Or(compare.Digest(nil, member.CRD), "sha256:"+hex.EncodeToString(sum[:]))
	return renderedCRD{name: member.CRD.Name, manifest: manifest, digest: digest}, nil
}

// outline returns what the status records of CRDs before their CRDSchemas are created.
func outline(definitions []renderedCRD) []v1alpha1.OperatorVersionCRD {
	var recorded []v1alpha1.OperatorVersionCRD
	for _, one := range definitions {
		recorded = append(recorded, v1alpha1.OperatorVersionCRD{Name: one.name, Digest: one.digest})
	}
	return recorded
}
