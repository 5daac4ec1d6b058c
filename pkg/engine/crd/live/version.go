// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// commonVersion is the version through which objects are read: one that both definitions serve, old's storage version
// before others, so that nothing is converted; then that of new; then the one that clients prefer. Where there is none it
// says why.
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
		return "", fmt.Sprintf("no version is served by both definitions: the old one serves %s, the new one %s",
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

// servedBy are the versions that a definition serves; "none" where there are none.
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
