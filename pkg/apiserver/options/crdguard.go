// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/legacyregistry"

	"roadstead.dev/roadstead/pkg/apiserver"
	guardendpoint "roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
	"roadstead.dev/roadstead/pkg/engine/crd/live"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// CRDGuardOptions are the options for reviews of the cluster's CustomResourceDefinitions.
type CRDGuardOptions struct {
	// Policy is the policy for CustomResourceDefinitions without the annotation: Deny or Warn.
	Policy string
	// LiveBudget is the maximum time that stored objects are checked for one review.
	LiveBudget time.Duration
}

func newCRDGuard() *CRDGuardOptions {
	return &CRDGuardOptions{Policy: string(crdpolicy.Deny), LiveBudget: crdpolicy.DefaultLiveBudget}
}

// AddFlags adds the flags.
func (o *CRDGuardOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Policy, "crd-guard-policy", o.Policy, fmt.Sprintf(
		"Policy of the CRD guard for breaking changes of a CustomResourceDefinition, and for deletions that lose objects, if the "+
			"CustomResourceDefinition does not have the annotation %s: Deny (refuse the request) or Warn (allow it with warnings).",
		crdpolicy.PolicyAnnotation))
	flags.DurationVar(&o.LiveBudget, "crd-guard-live-budget", o.LiveBudget,
		"Maximum time that the CRD guard checks stored objects for one request; the response contains a note if the time was not sufficient. "+
			"Must be greater than 0 and well below timeoutSeconds of the webhook configuration (5).")
}

// Validate returns every error of the flags.
func (o *CRDGuardOptions) Validate() []error {
	var errs []error
	if o.Policy != string(crdpolicy.Deny) && o.Policy != string(crdpolicy.Warn) {
		errs = append(errs, fmt.Errorf("--crd-guard-policy: %q is not supported: must be %s or %s; to exclude single CustomResourceDefinitions, "+
			"annotate them with %s=%s",
			o.Policy, crdpolicy.Deny, crdpolicy.Warn, crdpolicy.PolicyAnnotation, crdpolicy.Off))
	}
	if o.LiveBudget <= 0 {
		errs = append(errs, fmt.Errorf("--crd-guard-live-budget: %s is invalid: must be greater than 0, for example %s",
			o.LiveBudget, crdpolicy.DefaultLiveBudget))
	}
	return errs
}

// ApplyTo returns the endpoint for kube-apiserver. It lists objects with the permissions of this
// server, and names them to users that may list them according to the authorizer of config, which
// must be set before.
func (o *CRDGuardOptions) ApplyTo(
	config *genericapiserver.RecommendedConfig, client kubernetes.Interface,
) (*guardendpoint.Endpoint, error) {
	quiet := rest.CopyConfig(config.ClientConfig)
	// Deprecated versions are read as well, and their warnings are not useful here.
	quiet.WarningHandler = rest.NoWarnings{}
	objects, err := dynamic.NewForConfig(quiet)
	if err != nil {
		return nil, fmt.Errorf("client for the cluster: %w", err)
	}
	guard := crdpolicy.New(crdpolicy.Options{
		Policy: crdpolicy.Policy(o.Policy), LiveBudget: o.LiveBudget,
		Objects: live.NewLister(objects), Access: guardendpoint.NewAccess(config.Authorization.Authorizer),
		Counts: guardendpoint.NewCounts(client.Discovery().RESTClient()),
	})
	return guardendpoint.New(guard, apiserver.Codecs), nil
}

var registerInstalled sync.Once

// showGuard registers the metric for the webhook of the guard, once in a process. It uses the
// informer of the webhook admission plugin and starts no other watch: without the permission for it
// the server would never become ready.
func (o CompletedOptions) showGuard(config *genericapiserver.RecommendedConfig, off []hostprobe.Missing) {
	webhooks := func(missing hostprobe.Missing) bool { return missing.Part == validating.PluginName }
	if !o.on(validating.PluginName) || slices.ContainsFunc(off, webhooks) {
		return
	}
	configurations := config.SharedInformerFactory.Admissionregistration().V1().ValidatingWebhookConfigurations()
	lister, synced := configurations.Lister(), configurations.Informer().HasSynced
	registerInstalled.Do(func() { legacyregistry.CustomMustRegister(guardendpoint.NewInstalled(lister, synced)) })
}
