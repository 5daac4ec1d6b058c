// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionlisters "k8s.io/client-go/listers/admissionregistration/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
)

func TestInstalled(t *testing.T) {
	const help = "# HELP roadstead_crdguard_installed [ALPHA] 1 if the cluster has a webhook configuration of the CRD guard, " +
		"0 if not. Missing while that is unknown.\n# TYPE roadstead_crdguard_installed gauge\nroadstead_crdguard_installed "
	for name, c := range map[string]struct {
		webhooks []string
		unsynced bool
		want     string
	}{
		"unknown":       {webhooks: []string{webhookName}, unsynced: true},
		"none":          {want: help + "0\n"},
		"other webhook": {webhooks: []string{"else.example.com"}, want: help + "0\n"},
		"guard":         {webhooks: []string{"else.example.com", webhookName}, want: help + "1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			stored := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
			for _, webhook := range c.webhooks {
				require.NoError(t, stored.Add(&admissionregistrationv1.ValidatingWebhookConfiguration{
					ObjectMeta: metav1.ObjectMeta{Name: webhook}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: webhook}},
				}))
			}
			registry := metrics.NewKubeRegistry()
			lister := admissionlisters.NewValidatingWebhookConfigurationLister(stored)
			registry.CustomMustRegister(NewInstalled(lister, func() bool { return !c.unsynced }))
			require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(c.want), "roadstead_crdguard_installed"))
		})
	}
}

func TestWebhookName_IsThatOfTheManifest(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "artifacts", "deploy", "guard", "webhook.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), "- name: "+webhookName+"\n")
}
