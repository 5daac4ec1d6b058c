// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/labels"
	admissionlisters "k8s.io/client-go/listers/admissionregistration/v1"
	"k8s.io/component-base/metrics"
)

// webhookName is the name of the webhook for changes of CustomResourceDefinitions.
const webhookName = "crdguard.roadstead.dev"

var installedDesc = metrics.NewDesc("roadstead_crdguard_installed",
	"1 if the cluster has a webhook configuration of the CRD guard, 0 if not. Missing while that is unknown.", nil, nil, metrics.ALPHA, "")

// installed is a metric that shows whether the webhook of the guard is configured.
type installed struct {
	metrics.BaseStableCollector
	configurations admissionlisters.ValidatingWebhookConfigurationLister
	synced         func() bool
}

// NewInstalled returns a metric that shows whether the cluster has the guard's webhook. synced
// reports whether the lister has synced.
func NewInstalled(configurations admissionlisters.ValidatingWebhookConfigurationLister, synced func() bool) metrics.StableCollector {
	return &installed{configurations: configurations, synced: synced}
}

// DescribeWithStability implements metrics.StableCollector.
func (i *installed) DescribeWithStability(out chan<- *metrics.Desc) { out <- installedDesc }

// CollectWithStability implements metrics.StableCollector.
func (i *installed) CollectWithStability(out chan<- metrics.Metric) {
	if !i.synced() {
		return
	}
	all, err := i.configurations.List(labels.Everything())
	if err != nil {
		return
	}
	out <- metrics.NewLazyConstMetric(installedDesc, metrics.GaugeValue, present(all))
}

func present(all []*admissionregistrationv1.ValidatingWebhookConfiguration) float64 {
	for _, configuration := range all {
		for i := range configuration.Webhooks {
			if configuration.Webhooks[i].Name == webhookName {
				return 1
			}
		}
	}
	return 0
}
