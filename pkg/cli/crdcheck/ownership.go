// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// versionKeys are labels and annotations with the version of the release that a CRD belongs to.
var versionKeys = []string{"gateway.networking.k8s.io/bundle-version", "app.kubernetes.io/version"}

// The annotations with which Helm marks the objects of a release.
const (
	releaseName      = "meta.helm.sh/release-name"
	releaseNamespace = "meta.helm.sh/release-namespace"
)

// ownership returns findings about the owner of the stored CRD (S04 and S08), and a note with the
// Helm release that it belongs to.
func ownership(live, wanted *apiextensionsv1.CustomResourceDefinition) ([]rules.Finding, string) {
	var findings []rules.Finding
	if finding := downgrade(live, wanted); finding != nil {
		findings = append(findings, *finding)
	}
	if finding := orphanedCABundle(live, wanted); finding != nil {
		findings = append(findings, *finding)
	}
	note := ""
	if release := live.Annotations[releaseName]; release != "" {
		note = fmt.Sprintf("%s belongs to the Helm release %s in namespace %s: apply the change with that release", live.Name, release,
			live.Annotations[releaseNamespace])
	}
	return findings, note
}

// downgrade returns a finding if the stored CRD has a newer version according to its labels or
// annotations. It returns nil unless both CRDs have the same label or annotation with a version.
func downgrade(live, wanted *apiextensionsv1.CustomResourceDefinition) *rules.Finding {
	for _, key := range versionKeys {
		is, will := marked(live, key), marked(wanted, key)
		there, err := version.ParseSemantic(is)
		if err != nil {
			continue
		}
		coming, err := version.ParseSemantic(will)
		if err != nil || !coming.LessThan(there) {
			continue
		}
		finding := found("CRD-S04", live.Name)
		finding.Path, finding.Old, finding.New = "metadata", is, will
		finding.Message = fmt.Sprintf("The CRD in the cluster is labeled with version %s (%s), the new one with %s: a newer version "+
			"is installed, and this change would be a downgrade.", is, key, will)
		if finding.FixHint == "" {
			finding.FixHint = "Find the manager that installed it (kubectl get crd " + live.Name +
				" --show-managed-fields -o yaml), and let that owner manage the CRD."
		}
		return finding
	}
	return nil
}

func marked(definition *apiextensionsv1.CustomResourceDefinition, key string) string {
	if value := definition.Labels[key]; value != "" {
		return value
	}
	return definition.Annotations[key]
}

var (
	caBundlePath = fieldpath.MakePathOrDie("spec", "conversion", "webhook", "clientConfig", "caBundle")
	strategyPath = fieldpath.MakePathOrDie("spec", "conversion", "strategy")
)

// orphanedCABundle returns a finding if another manager has set the caBundle: it remains when the
// webhook is removed, and the API server refuses a caBundle without a webhook.
func orphanedCABundle(live, wanted *apiextensionsv1.CustomResourceDefinition) *rules.Finding {
	if strategy(live) != apiextensionsv1.WebhookConverter || strategy(wanted) == apiextensionsv1.WebhookConverter {
		return nil
	}
	var injectors []string
	for _, entry := range live.ManagedFields {
		if owns(entry, caBundlePath) && !owns(entry, strategyPath) {
			injectors = append(injectors, entry.Manager)
		}
	}
	if len(injectors) == 0 {
		return nil
	}
	finding := found("CRD-S08", live.Name)
	finding.Path, finding.Old = "spec.conversion.webhook.clientConfig.caBundle", "owned by "+strings.Join(injectors, ", ")
	finding.Hits.SSAWriters = true
	finding.Message = fmt.Sprintf("The conversion webhook is removed, but its caBundle is owned by %s and remains: the API server refuses "+
		"a caBundle without a webhook, so an apply fails.", strings.Join(injectors, ", "))
	if finding.FixHint == "" {
		finding.FixHint = "Stop the injection (its annotation on the CRD), set strategy: None in the manifest, and first remove the " +
			"field: " +
			"kubectl patch crd " + live.Name + ` --type=json -p '[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]'.`
	}
	return finding
}

func strategy(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.ConversionStrategyType {
	if definition.Spec.Conversion == nil {
		return apiextensionsv1.NoneConverter
	}
	return definition.Spec.Conversion.Strategy
}

func owns(entry metav1.ManagedFieldsEntry, path fieldpath.Path) bool {
	if entry.FieldsV1 == nil {
		return false
	}
	fields := &fieldpath.Set{}
	return fields.FromJSON(entry.FieldsV1.GetRawReader()) == nil && fields.Has(path)
}

// found returns a finding about a CRD in the cluster.
func found(code, crd string) *rules.Finding {
	rule, err := rules.ByCode(code)
	if err != nil {
		panic(err) // the rules are constants
	}
	finding := rule.Finding()
	finding.CRD, finding.Evidence = crd, rules.Live
	return &finding
}
