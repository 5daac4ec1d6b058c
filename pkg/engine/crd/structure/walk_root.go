// SPDX-License-Identifier: Apache-2.0

package structure

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
)

// root compares complete resources.
func (w *walk) root(old, new *schema, oldVersion, newVersion *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := spot{root: true}
	switch {
	case old == nil:
		// apiextensions.k8s.io/v1beta1 allowed it: everything was kept and nothing was validated.
		old = &schema{types: typeObject, preserve: true, embedded: true, mapType: "granular"}
	case new.preserve && len(new.properties) == 0 && !old.preserve && len(old.properties) > 0:
		w.find("E16", at, nil, nil, "the schema declares nothing any more: every field is kept, none is validated, and server-side "+
			"apply knows no lists or maps in it")
		return
	}
	if manifest.StatusOf(oldVersion) == nil && manifest.StatusOf(newVersion) != nil && old.prunesStatus() {
		// A status that is added together with its subresource was never kept before, so no client can depend on it.
		copied := *new
		copied.properties = withoutKey(new.properties, "status")
		new = &copied
	}
	w.node(old, new, at)
}

func withoutKey(properties map[string]*schema, name string) map[string]*schema {
	rest := make(map[string]*schema, len(properties))
	for key, value := range properties {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}
