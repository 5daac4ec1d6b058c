// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"

	"roadstead.dev/roadstead/pkg/util/text"
)

// maxFaults is the maximum number of errors of a manifest that are reported.
const maxFaults = 10

// Decode decodes the complete JSON manifest of a CustomResourceDefinition. It is as strict as kubectl:
// unknown and duplicate fields are errors. Fields that a server sets (status,
// metadata.creationTimestamp) are allowed.
func Decode(raw []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var kind metav1.TypeMeta
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &kind); err != nil {
		return nil, fmt.Errorf("must be the manifest of a CustomResourceDefinition: %s", text.Line(err.Error(), MaxMessage))
	}
	if kind.APIVersion != apiextensionsv1.SchemeGroupVersion.String() || kind.Kind != "CustomResourceDefinition" {
		return nil, fmt.Errorf("must be a CustomResourceDefinition of apiVersion %s, not a %q of %q", apiextensionsv1.SchemeGroupVersion,
			text.Line(kind.Kind, MaxCode), text.Line(kind.APIVersion, MaxCode))
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	faults, err := kjson.UnmarshalStrict(raw, definition)
	if err != nil {
		return nil, fmt.Errorf("is not a CustomResourceDefinition: %s", text.Line(err.Error(), MaxMessage))
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("is not a CustomResourceDefinition: %s", told(faults))
	}
	if definition.Name == "" {
		return nil, errors.New("metadata.name is required and must be <plural>.<group>")
	}
	if want := definition.Spec.Names.Plural + "." + definition.Spec.Group; definition.Name != want {
		return nil, fmt.Errorf("metadata.name must be %q (spec.names.plural and spec.group), not %q", text.Line(want, MaxCRD),
			text.Line(definition.Name, MaxCRD))
	}
	return definition, nil
}

func told(faults []error) string {
	var texts []string
	for _, fault := range faults[:min(len(faults), maxFaults)] {
		texts = append(texts, text.Line(fault.Error(), MaxPath))
	}
	if more := len(faults) - maxFaults; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}
