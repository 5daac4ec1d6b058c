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

// maxAnnotation is the maximum length of an annotation in a snapshot, in characters. A longer one
// is not valid anyway.
const maxAnnotation = 1024

// remember stores the current state of a CRD in a snapshot.
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

// manifest returns a CRD with only its name and spec.
func manifest(now *apiextensionsv1.CustomResourceDefinition) ([]byte, error) {
	return json.Marshal(map[string]any{
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": now.Name}, "spec": now.Spec,
	})
}

// bounded returns an annotation as it is stored in a snapshot.
func bounded(annotation string) string {
	if characters := []rune(annotation); len(characters) > maxAnnotation {
		return string(characters[:maxAnnotation])
	}
	return annotation
}
