// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// commonVersion returns the version that objects are read in, which both CRDs must serve: the storage
// version of old, to avoid conversion; otherwise the storage version of new; otherwise the preferred one.
// If there is none, it returns the reason.
func commonVersion(old, new *apiextensionsv1.CustomResourceDefinition) (name, why string) {
	served := map[string]bool{}
	for _, v := range new.Spec.Versions {
		served[v.Name] = v.Served
	}
	var both []string
	for _, v := range old.Spec.Versions {
		if v.Served && served[v.Name] {
			both = append(both, v.Name)
		}
	}
	if len(both) == 0 {
		return "", fmt.Sprintf("no version is served by both CRDs: the old CRD serves %s, the new CRD serves %s",
			strings.Join(servedBy(old), ", "), strings.Join(servedBy(new), ", "))
	}
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{old, new} {
		for _, v := range definition.Spec.Versions {
			if v.Storage && slices.Contains(both, v.Name) {
				return v.Name, ""
			}
		}
	}
	slices.SortFunc(both, func(a, b string) int { return -version.CompareKubeAwareVersionStrings(a, b) })
	return both[0], ""
}

// servedBy returns the names of the served versions of a CRD, or "none".
func servedBy(definition *apiextensionsv1.CustomResourceDefinition) []string {
	var names []string
	for _, v := range definition.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	if names == nil {
		return []string{"none"}
	}
	return names
}
