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

// CRDGuardOptions say how the host's changes of CustomResourceDefinitions are judged.
type CRDGuardOptions struct {
	// Policy is that of definitions that carry none: Deny or Warn.
	Policy string
	// LiveBudget is how long stored objects are looked at for one answer.
	LiveBudget time.Duration
}

func newCRDGuard() *CRDGuardOptions {
	return &CRDGuardOptions{Policy: string(crdpolicy.Deny), LiveBudget: crdpolicy.DefaultLiveBudget}
}

// AddFlags adds the flags.
func (o *CRDGuardOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Policy, "crd-guard-policy", o.Policy, fmt.Sprintf(
		"What the CRD guard does with a change that breaks what uses a CustomResourceDefinition, and with a deletion that loses objects, "+
			"where the annotation %s does not say: "+
			"Deny (refuse) or Warn (let pass with warnings).", crdpolicy.PolicyAnnotation))
	flags.DurationVar(&o.LiveBudget, "crd-guard-live-budget", o.LiveBudget,
		"How long the CRD guard looks at stored objects for one answer; it tells where that was not enough. Keep it well below timeoutSeconds "+
			"of the webhook configuration (5).")
}

// Validate returns every error of the flags.
func (o *CRDGuardOptions) Validate() []error {
	var errs []error
	if o.Policy != string(crdpolicy.Deny) && o.Policy != string(crdpolicy.Warn) {
		errs = append(errs, fmt.Errorf("--crd-guard-policy: %q is neither %s nor %s; to leave single definitions unguarded, annotate them "+
			"with %s=%s",
			o.Policy, crdpolicy.Deny, crdpolicy.Warn, crdpolicy.PolicyAnnotation, crdpolicy.Off))
	}
	if o.LiveBudget <= 0 {
		errs = append(errs, fmt.Errorf("--crd-guard-live-budget: %s is no time; give one such as %s", o.LiveBudget, crdpolicy.DefaultLiveBudget))
	}
	return errs
}

// ApplyTo returns the endpoint by which kube-apiserver asks. It lists objects with the rights of this server and names them
// to users whom the authorizer of config lets list them, so it must come after that.
func (o *CRDGuardOptions) ApplyTo(
	config *genericapiserver.RecommendedConfig, client kubernetes.Interface,
) (*guardendpoint.Endpoint, error) {
	quiet := rest.CopyConfig(config.ClientConfig)
	// Old versions are read too; that they are old is no news here.
	quiet.WarningHandler = rest.NoWarnings{}
	objects, err := dynamic.NewForConfig(quiet)
	if err != nil {
		return nil, fmt.Errorf("host cluster: %w", err)
	}
	guard := crdpolicy.New(crdpolicy.Options{
		Policy: crdpolicy.Policy(o.Policy), LiveBudget: o.LiveBudget,
		Objects: live.NewLister(objects), Access: guardendpoint.NewAccess(config.Authorization.Authorizer),
		Counts: guardendpoint.NewCounts(client.Discovery().RESTClient()),
	})
	return guardendpoint.New(guard, apiserver.Codecs), nil
}

var registerInstalled sync.Once

// showGuard publishes whether the cluster asks the guard, once in a process. It needs what admission by webhooks watches, and
// starts no watch of its own: without the rights for it the server would never be ready.
func (o CompletedOptions) showGuard(config *genericapiserver.RecommendedConfig, off []hostprobe.Missing) {
	webhooks := func(missing hostprobe.Missing) bool { return missing.Part == validating.PluginName }
	if !o.on(validating.PluginName) || slices.ContainsFunc(off, webhooks) {
		return
	}
	configurations := config.SharedInformerFactory.Admissionregistration().V1().ValidatingWebhookConfigurations()
	lister, synced := configurations.Lister(), configurations.Informer().HasSynced
	registerInstalled.Do(func() { legacyregistry.CustomMustRegister(guardendpoint.NewInstalled(lister, synced)) })
}
