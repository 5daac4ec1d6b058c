// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// status warns if a version is removed from storedVersions. This is the normal last step of a storage
// migration, so it is always allowed; before the migration, it permits the removal of a version in which
// objects are still stored.
func (g *Guard) status(old, new *apiextensionsv1.CustomResourceDefinition) Answer {
	if policy, _ := policyOf(&old.ObjectMeta, g.options.Policy); policy == Off {
		return answered(OperationStatus, old, Unguarded)
	}
	var lost []string
	for _, version := range old.Status.StoredVersions {
		if !slices.Contains(new.Status.StoredVersions, version) {
			lost = append(lost, version)
		}
	}
	if len(lost) == 0 {
		return answered(OperationStatus, old, Allowed)
	}
	answer := answered(OperationStatus, old, Allowed,
		fmt.Sprintf("%s is removed from status.storedVersions of %s: objects that are still stored in it cannot be read once the "+
			"version is removed from the CRD, so all objects must have been rewritten before",
			strings.Join(lost, ", "), old.Name),
		migration(old),
	)
	answer.Verdict = rules.Review
	return answer
}

// migration returns the command that rewrites every object.
func migration(definition *apiextensionsv1.CustomResourceDefinition) string {
	everywhere := ""
	if definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
		everywhere = " --all-namespaces"
	}
	return fmt.Sprintf("if they were not rewritten yet, run: kubectl get %s%s -o json | kubectl replace -f -",
		resourceOf(definition), everywhere)
}
