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

// versionKeys are labels and annotations that carry the version of what a definition came with.
var versionKeys = []string{"gateway.networking.k8s.io/bundle-version", "app.kubernetes.io/version"}

// The annotations by which Helm marks what belongs to a release.
const (
	releaseName      = "meta.helm.sh/release-name"
	releaseNamespace = "meta.helm.sh/release-namespace"
)

// ownership tells what the stored definition says about who cares for it: findings of S04 and S08, and a note that names
// the Helm release that it belongs to.
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
		note = fmt.Sprintf("%s belongs to the Helm release %s in namespace %s: what applies this should be that release", live.Name, release,
			live.Annotations[releaseNamespace])
	}
	return findings, note
}

// downgrade finds a stored definition that says of itself that it is newer. Without the same label or annotation on both,
// with a version in it, nothing is said.
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
		finding.Message = fmt.Sprintf("The definition in the cluster says that it is of version %s (%s), the new one of %s: somebody "+
			"else installed a newer one, and this would be a downgrade.", is, key, will)
		if finding.FixHint == "" {
			finding.FixHint = "Find out who installed it (kubectl get crd " + live.Name +
				" --show-managed-fields -o yaml), and leave the definition to them."
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

// orphanedCABundle finds a caBundle that somebody else put in: when the webhook goes, it stays, and the API server refuses
// what is left.
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
	finding.Message = fmt.Sprintf("The conversion webhook goes, but its caBundle is owned by %s and stays: the API server refuses "+
		"a caBundle without webhook, so an apply fails.", strings.Join(injectors, ", "))
	if finding.FixHint == "" {
		finding.FixHint = "Stop the injection (its annotation on the definition), say strategy: None in the manifest, and take the " +
			"field away before: " +
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

// found begins a finding that was seen in the cluster.
func found(code, crd string) *rules.Finding {
	rule, err := rules.ByCode(code)
	if err != nil {
		panic(err) // the rules are ours
	}
	finding := rule.Finding()
	finding.CRD, finding.Evidence = crd, rules.Live
	return &finding
}
