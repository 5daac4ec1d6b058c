// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// status warns where a version leaves storedVersions. It is the normal last step of a storage migration, so it is never
// refused; taken before the migration, it lets a version be removed in which objects are still stored.
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
		fmt.Sprintf("status.storedVersions of %s loses %s: objects that are still stored in it cannot be read once the version is "+
			"removed; every object must have been written anew before",
			old.Name, strings.Join(lost, ", ")),
		migration(old),
	)
	answer.Verdict = rules.Review
	return answer
}

// migration is the command that writes every object anew.
func migration(definition *apiextensionsv1.CustomResourceDefinition) string {
	everywhere := ""
	if definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
		everywhere = " --all-namespaces"
	}
	return fmt.Sprintf("unless that was done, run now: kubectl get %s%s -o json | kubectl replace -f -", resourceOf(definition), everywhere)
}
