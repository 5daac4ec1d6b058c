// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"

	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/tracing"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/filters/auditcap"
	"roadstead.dev/roadstead/pkg/apiserver/filters/frontproxy"
	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
	"roadstead.dev/roadstead/pkg/apiserver/trust/servingcert"
	"roadstead.dev/roadstead/pkg/generated/openapi"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// config applies the options. The etcd that they name must be running; member is the embedded one, or nil.
func (o CompletedOptions) config(ctx context.Context, member *etcd.Server) (*apiserver.Config, error) {
	config, err := o.newGeneric()
	if err != nil {
		return nil, err
	}
	host, err := newHost(config.ClientConfig)
	if err != nil {
		return nil, err
	}
	off, err := o.awaitHost(ctx, config, host.client)
	if err != nil {
		return nil, err
	}
	features, plugins := o.without(off)
	if err := o.applyAPIs(config); err != nil {
		return nil, err
	}
	store, err := o.newStore(ctx, config, host.client, member)
	if err != nil {
		return nil, err
	}
	if err := o.applyServing(ctx, config, host); err != nil {
		return nil, err
	}
	frontProxy, uncached, err := o.applyAccess(config, host.client, features)
	if err != nil {
		return nil, err
	}
	stored := &generic.Stored{}
	known := initializer.Config{Stored: stored, Uncached: uncached, ControllerUser: o.ControllerUser}
	if err := applyAdmission(config, host.client, plugins, known); err != nil {
		return nil, err
	}
	guard, err := o.CRDGuard.ApplyTo(config, host.client)
	if err != nil {
		return nil, err
	}
	o.showGuard(config, off)
	return &apiserver.Config{Generic: config, Extra: apiserver.ExtraConfig{
		Etcd: store.client, Gate: store.gate, Identity: store.guard, Inventory: store.inventory,
		FrontProxy: frontProxy, Uncached: uncached, Stored: stored, CRDGuard: guard,
		ControllerUser: o.ControllerUser, SelfApproval: o.AllowSelfApproval,
	}}, nil
}

// newGeneric returns a configuration with a client for the cluster.
func (o CompletedOptions) newGeneric() (*genericapiserver.RecommendedConfig, error) {
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	// This must run before any client is created, because clients read the tracer on creation.
	if err := o.Traces.ApplyTo(config.EgressSelector, &config.Config); err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	if err := o.CoreAPI.ApplyTo(config); err != nil {
		return nil, fmt.Errorf("client for the cluster: %w", err)
	}
	// The priority and fairness of kube-apiserver limits the requests of this server, not a rate in
	// this process.
	config.ClientConfig.QPS = -1
	return config, nil
}

// applyAPIs sets the enabled resources, and OpenAPI v2 and v3.
func (o CompletedOptions) applyAPIs(config *genericapiserver.RecommendedConfig) error {
	if err := o.ServerRun.ApplyTo(&config.Config); err != nil {
		return err
	}
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = apiserver.Name
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config.Info.Title = apiserver.Name
	if err := o.APIEnablement.ApplyTo(&config.Config, apiserver.DefaultResources(), apiserver.Scheme); err != nil {
		return fmt.Errorf("--runtime-config: %w", err)
	}
	return nil
}

// applyServing sets the listener and its certificate: the one of the flags, otherwise the one in
// the installation's Secret, which the server then renews, together with the CA in Roadstead's
// APIServices.
func (o CompletedOptions) applyServing(ctx context.Context, config *genericapiserver.RecommendedConfig, host hostClients) error {
	if err := hostprobe.CheckRegistration(ctx, host.aggregator, apiServices(config)); err != nil {
		return err
	}
	if !o.ownCertificate() {
		keeper, err := servingcert.New(ctx, servingcert.Options{
			Client: host.client, Aggregator: host.aggregator, Namespace: o.Namespace, Service: o.Service,
			APIServices: apiServices(config), Clock: clock.RealClock{},
		})
		if err != nil {
			return err
		}
		o.SecureServing.ServerCert.GeneratedCert = keeper
	}
	if err := o.SecureServing.ApplyToConfig(&config.Config); err != nil {
		return fmt.Errorf("listener: %w", err)
	}
	config.LoopbackClientConfig.Wrap(tracing.WrapperFor(config.TracerProvider))
	return nil
}

// apiServices returns the names of the APIServices of the enabled group versions.
func apiServices(config *genericapiserver.RecommendedConfig) []string {
	var names []string
	for gv, enabled := range config.MergedResourceConfig.GroupVersionConfigs {
		if enabled {
			names = append(names, gv.Version+"."+gv.Group)
		}
	}
	return names
}

// applyAccess sets authentication, audit, priority and fairness, and authorization. It returns the
// filter that waits for the aggregation layer, and an authorizer without a cache.
func (o CompletedOptions) applyAccess(
	config *genericapiserver.RecommendedConfig, client kubernetes.Interface, features *genericoptions.FeatureOptions,
) (*frontproxy.Await, authorizer.Authorizer, error) {
	if err := o.Authn.ApplyTo(&config.Authentication, config.SecureServing, config.OpenAPIConfig); err != nil {
		return nil, nil, fmt.Errorf("authentication: %w", err)
	}
	frontProxy := awaitFrontProxy(config)
	if err := o.Audit.ApplyTo(&config.Config); err != nil {
		return nil, nil, fmt.Errorf("audit: %w", err)
	}
	config.AuditPolicyRuleEvaluator = auditcap.Wrap(config.AuditPolicyRuleEvaluator, apiserver.WriteOnly()...)
	if err := features.ApplyTo(&config.Config, client, config.SharedInformerFactory); err != nil {
		return nil, nil, fmt.Errorf("features: %w", err)
	}
	reviews, err := o.authorizationHost(config.ClientConfig)
	if err != nil {
		return nil, nil, fmt.Errorf("authorization: %w", err)
	}
	uncached, err := o.Authorization.ApplyTo(&config.Config, o.Authz, reviews)
	if err != nil {
		return nil, nil, fmt.Errorf("authorization: %w", err)
	}
	return frontProxy, uncached, nil
}

// applyAdmission sets the admission plugins. known is what Roadstead's plugins need from the
// server.
func applyAdmission(
	config *genericapiserver.RecommendedConfig, client kubernetes.Interface,
	plugins *genericoptions.AdmissionOptions, known initializer.Config,
) error {
	dynamicClient, err := dynamic.NewForConfig(config.ClientConfig)
	if err != nil {
		return fmt.Errorf("client for the cluster: %w", err)
	}
	if err := plugins.ApplyTo(&config.Config, config.SharedInformerFactory, client, dynamicClient, config.FeatureGate, config.EffectiveVersion,
		initializer.New(known)); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	return nil
}

// awaitFrontProxy keeps the server unready and refuses requests until the aggregation layer can be
// authenticated, which then does not verify its certificate for each request. It returns nil if the
// flags disable the aggregation layer.
func awaitFrontProxy(config *genericapiserver.RecommendedConfig) *frontproxy.Await {
	headers := config.Authentication.RequestHeaderConfig
	await := frontproxy.NewAwait(headers)
	if await != nil {
		config.AddReadyzChecks(healthz.NamedCheck("front-proxy-ca", await.Check))
		config.Authentication.Authenticator = union.New(frontproxy.New(headers, clock.RealClock{}), config.Authentication.Authenticator)
	}
	return await
}
