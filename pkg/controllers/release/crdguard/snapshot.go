// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// maxAnnotation is how many characters of an annotation a snapshot holds; one that is longer says nothing anyway.
const maxAnnotation = 1024

// remember writes a definition as it is now into a snapshot.
func remember(snapshot *v1alpha1.CRDSnapshot, now *apiextensionsv1.CustomResourceDefinition) error {
	definition, err := manifest(now)
	if err != nil {
		return fmt.Errorf("definition %s: %w", now.Name, err)
	}
	snapshot.Name = now.Name
	snapshot.Spec = v1alpha1.CRDSnapshotSpec{
		UID: string(now.UID), Generation: now.Generation, Definition: runtime.RawExtension{Raw: definition},
		Policy: bounded(now.Annotations[crdpolicy.PolicyAnnotation]), AllowChange: bounded(now.Annotations[crdpolicy.AllowChangeAnnotation]),
	}
	return nil
}

// manifest is a definition with its spec, and nothing else but the name.
func manifest(now *apiextensionsv1.CustomResourceDefinition) ([]byte, error) {
	return json.Marshal(map[string]any{
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": now.Name}, "spec": now.Spec,
	})
}

// bounded is an annotation as a snapshot holds it.
func bounded(annotation string) string {
	if characters := []rune(annotation); len(characters) > maxAnnotation {
		return string(characters[:maxAnnotation])
	}
	return annotation
}
