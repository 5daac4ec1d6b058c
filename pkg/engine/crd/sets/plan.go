// SPDX-License-Identifier: Apache-2.0

package sets

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// storage reports the storage migration that a new storage version requires.
func (c *comparison) storage(pair Pair) {
	before := manifest.LiveStatus(pair.Old.CRD).StoredVersions
	if c.reverse {
		// Versions stored before the change are still stored.
		for _, name := range manifest.LiveStatus(pair.New.CRD).StoredVersions {
			before = manifest.WithVersion(before, name)
		}
	}
	after := before
	target := ""
	for _, v := range pair.New.CRD.Spec.Versions {
		if v.Storage {
			target = v.Name
			after = manifest.WithVersion(before, v.Name)
		}
	}
	if len(after) == len(before) {
		return
	}
	finding := c.find("S05", pair.Old.CRD.Name, "Objects are stored as %s and will be written as %s, so the cluster contains both until "+
		"each object was rewritten.",
		strings.Join(before, ", "), target)
	finding.Version, finding.Path = target, "status.storedVersions"
	finding.Old, finding.New = rules.Shown(before), rules.Shown(after)
	finding.Hits = rules.Hits{Rollback: true}
	finding.FixHint = fmt.Sprintf("Plan a storage migration: apply the CRD; rewrite all objects of %s (a get and an "+
		"unchanged update of each, including objects whose managedFields name old versions); "+
		"check that none remains; then set status.storedVersions to [%s]. Until then, no CRD without %s can be applied, and a "+
		"rollback must keep %s.",
		pair.Old.CRD.Name, target, strings.Join(before, ", "), target)
}

// webhooks reports conversion webhooks whose Service is not part of the chart. A chart that renders no
// Services at all is assumed to rely on another chart for them, as is a chart that did so before.
func (c *comparison) webhooks() {
	if !c.to.Chart || len(c.to.Services) == 0 {
		return
	}
	olds := c.from.byName()
	for name, member := range c.to.byName() {
		service := conversionService(member.CRD)
		missing := c.to.missing(service)
		if missing == "" {
			continue
		}
		if before, there := olds[name]; there {
			if other := conversionService(before.CRD); other != nil && *other == *service && (!c.from.Chart || c.from.missing(other) != "") {
				continue
			}
		}
		finding := c.find("S07", name, "Conversion of %s uses a webhook, but %s. Every read and write in a version other than "+
			"the storage version fails until the webhook responds.", name, missing)
		finding.Path, finding.New = "spec.conversion.webhook.clientConfig.service", service.String()
		finding.Hits = rules.Hits{Stored: true, Writers: true, SSAWriters: true, Readers: true}
		finding.FixHint = "Add the Service and its workload to the chart, or fix the reference; install the webhook " +
			"first, check that it responds, and then apply the CRD."
	}
}

// serviceReference is the Service and port that a conversion webhook is called on.
type serviceReference struct {
	namespace, name string
	port            int32
}

func (r serviceReference) String() string {
	return fmt.Sprintf("%s/%s:%d", r.namespace, r.name, r.port)
}

// conversionService returns the Service of the conversion webhook, or nil if no webhook is called. A single version needs no conversion.
func conversionService(definition *apiextensionsv1.CustomResourceDefinition) *serviceReference {
	conversion := definition.Spec.Conversion
	if len(definition.Spec.Versions) < 2 || conversion == nil || conversion.Strategy != apiextensionsv1.WebhookConverter ||
		conversion.Webhook == nil ||
		conversion.Webhook.ClientConfig == nil || conversion.Webhook.ClientConfig.Service == nil {
		return nil
	}
	service := conversion.Webhook.ClientConfig.Service
	return &serviceReference{namespace: service.Namespace, name: service.Name, port: ptr.Deref(service.Port, 443)}
}

// missing returns what a set lacks for a webhook, or "". Namespaces are not compared: CRDs in crds/
// name a fixed namespace, and the namespace of the release is not known.
func (s Set) missing(reference *serviceReference) string {
	if reference == nil || !s.Chart {
		return ""
	}
	var named []Service
	for _, service := range s.Services {
		if service.Name == reference.name {
			named = append(named, service)
		}
	}
	if len(named) == 0 {
		return fmt.Sprintf("the chart renders no Service %q", reference.name)
	}
	for _, service := range named {
		if len(service.Ports) == 0 || slices.Contains(service.Ports, reference.port) {
			return ""
		}
	}
	return fmt.Sprintf("the chart's Service %q has no port %d", reference.name, reference.port)
}
