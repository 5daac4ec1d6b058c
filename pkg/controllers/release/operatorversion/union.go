// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/crdcompat"
)

// codeVaries is the code of a definition that a chart renders in two ways.
const codeVaries = "ChartCRDVaries"

// rendering is what a chart renders with one set of values.
type rendering struct {
	// with names the values, for a person.
	with    string
	members []crdcompat.Member
}

// union is every definition of the renderings, by name, and a finding for each that is not the same in all. The first
// rendering that has a definition gives it.
func union(renderings []rendering) ([]*apiextensionsv1.CustomResourceDefinition, []v1alpha1.Finding) {
	type seen struct {
		crd          *apiextensionsv1.CustomResourceDefinition
		digest, with string
		differs      []string
		in           int
	}
	byName := map[string]*seen{}
	for n, one := range renderings {
		for _, member := range one.members {
			known := byName[member.CRD.Name]
			digest := crdcompat.Digest(nil, member.CRD)
			switch {
			case known == nil:
				byName[member.CRD.Name] = &seen{crd: member.CRD, digest: digest, with: one.with, in: 1 << n}
				continue
			case known.digest != digest && !slices.Contains(known.differs, one.with):
				known.differs = append(known.differs, one.with)
			}
			known.in |= 1 << n
		}
	}
	var definitions []*apiextensionsv1.CustomResourceDefinition
	var findings []v1alpha1.Finding
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		known := byName[name]
		definitions = append(definitions, known.crd)
		var lacking []string
		for n, one := range renderings {
			if known.in&(1<<n) == 0 {
				lacking = append(lacking, one.with)
			}
		}
		if len(known.differs) > 0 {
			findings = append(findings, varies(name, crdcompat.Review, fmt.Sprintf("The chart renders the definition with %s otherwise than with %s, and only the latter is compared.",
				strings.Join(known.differs, ", "), known.with)))
		}
		if len(lacking) > 0 {
			findings = append(findings, varies(name, crdcompat.Informational, fmt.Sprintf("The chart renders the definition with %s, and not with %s.",
				known.with, strings.Join(lacking, ", "))))
		}
	}
	return definitions, findings
}

func varies(name string, verdict crdcompat.Verdict, message string) v1alpha1.Finding {
	return v1alpha1.Finding{CRD: name, Code: codeVaries, Verdict: v1alpha1.Compatibility(verdict), Message: message,
		Hint: "Let all environments get the same definitions: give the values that decide about them in spec.values of the Operator."}
}

// manifest is a definition as it is applied, without what a server fills in.
func manifest(definition *apiextensionsv1.CustomResourceDefinition) ([]byte, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
	if err != nil {
		return nil, err
	}
	content["apiVersion"] = apiextensionsv1.SchemeGroupVersion.String()
	content["kind"] = "CustomResourceDefinition"
	delete(content, "status")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"creationTimestamp", "managedFields", "resourceVersion", "uid", "generation", "selfLink"} {
			delete(metadata, field)
		}
	}
	return json.Marshal(content)
}

// worstFirst sorts findings and cuts them to what a status shows.
func worstFirst(findings []v1alpha1.Finding) []v1alpha1.Finding {
	slices.SortStableFunc(findings, func(a, b v1alpha1.Finding) int {
		return cmp.Or(
			crdcompat.Verdict(b.Verdict).Compare(crdcompat.Verdict(a.Verdict)),
			cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Path, b.Path),
		)
	})
	return findings[:min(len(findings), v1alpha1.MaxFindings)]
}
