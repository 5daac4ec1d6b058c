// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// endpoints compares subresources and selectable fields.
func (c *comparison) endpoints(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	c.statusEndpoint(old, new)
	c.scaleEndpoint(old, new)
	at := rules.Place{Version: old.Name, Path: "selectableFields"}
	was, is := selectable(old), selectable(new)
	if gone := lost(was, is); len(gone) > 0 {
		c.Find("D14", at, was, is, "lists and watches with a field selector for %s fail with 400", strings.Join(gone, ", "))
	}
	if fresh := lost(is, was); len(fresh) > 0 {
		c.Find("D15", at, was, is, "field selectors for %s are supported", strings.Join(fresh, ", "))
	}
}

func selectable(version *apiextensionsv1.CustomResourceDefinitionVersion) []string {
	paths := make([]string, 0, len(version.SelectableFields))
	for _, field := range version.SelectableFields {
		paths = append(paths, field.JSONPath)
	}
	return paths
}

func (c *comparison) statusEndpoint(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: old.Name, Path: "subresources.status"}
	switch {
	case manifest.StatusOf(old) == nil && manifest.StatusOf(new) != nil:
		if c.PrunesStatus(old) {
			c.Find("D10", at, nil, "status",
				"the status subresource is added together with .status, which was always pruned before").Verdict = rules.Safe
			return
		}
		c.Find("D10", at, nil, "status", "writes of .status to the main endpoint are silently dropped now, and new objects are stored "+
			"without it")
	case manifest.StatusOf(old) != nil && manifest.StatusOf(new) == nil:
		c.Find("D21", at, "status", nil,
			"writes to the status subresource fail with 404, and every writer of the main endpoint can change .status")
	}
}

func scale(version *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceSubresourceScale {
	if version.Subresources == nil {
		return nil
	}
	return version.Subresources.Scale
}

func (c *comparison) scaleEndpoint(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: old.Name, Path: "subresources.scale"}
	was, is := scale(old), scale(new)
	switch {
	case was == nil && is == nil:
	case was == nil:
		c.Find("D17", at, nil, "scale", "kubectl scale and autoscalers can be used")
	case is == nil:
		c.Find("D11", at, "scale", nil, "the scale subresource was removed: autoscalers and kubectl scale fail with 404")
	default:
		if was.SpecReplicasPath != is.SpecReplicasPath {
			at.Path = "subresources.scale.specReplicasPath"
			c.Find("D12", at, was.SpecReplicasPath, is.SpecReplicasPath, "autoscalers and kubectl scale set %s instead of %s",
				is.SpecReplicasPath, was.SpecReplicasPath)
		}
		if was.StatusReplicasPath != is.StatusReplicasPath || ptr.Deref(was.LabelSelectorPath, "") != ptr.Deref(is.LabelSelectorPath, "") {
			at.Path = "subresources.scale"
			c.Find("D13", at, was, is, "autoscalers read the replicas or the pod selector from another field")
		}
	}
}

// columns compares the columns that kubectl prints.
func (c *comparison) columns(old, new *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := rules.Place{Version: old.Name, Path: "additionalPrinterColumns"}
	for _, column := range new.AdditionalPrinterColumns {
		path := strings.Split(strings.TrimPrefix(column.JSONPath, "."), ".")
		plain := !strings.ContainsAny(column.JSONPath, "[]()@'\"\\") // other JSONPath expressions are not evaluated
		if plain && c.LosesField(old, new, path) {
			c.Find("D19", at, column.JSONPath, column.JSONPath, "column %s is empty: its field %s is no longer declared",
				column.Name, column.JSONPath)
		}
	}
	if !slices.Equal(old.AdditionalPrinterColumns, new.AdditionalPrinterColumns) {
		c.Find("D18", at, nil, nil, "kubectl get prints other columns")
	}
}
