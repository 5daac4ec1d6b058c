// SPDX-License-Identifier: Apache-2.0

// Package fieldlabels registers the fields that field selectors may use. The strategy of a kind
// provides the values (generic.Kind.Fields).
package fieldlabels

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Register allows field selectors to use the given fields of each kind of a version. The error
// for any other field lists the allowed fields.
func Register(scheme *runtime.Scheme, version schema.GroupVersion, fields map[string][]string) error {
	for kind, labels := range fields {
		convert := func(label, value string) (string, string, error) {
			if !slices.Contains(labels, label) {
				return "", "", fmt.Errorf("%q is not a field selector of %s: use one of %s", label, kind, strings.Join(labels, ", "))
			}
			return label, value, nil
		}
		if err := scheme.AddFieldLabelConversionFunc(version.WithKind(kind), convert); err != nil {
			return err
		}
	}
	return nil
}
