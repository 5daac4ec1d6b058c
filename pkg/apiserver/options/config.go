// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"

	"k8s.io/apiserver/pkg/authentication/request/union"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/tracing"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/filters/auditcap"
	"roadstead.dev/roadstead/pkg/apiserver/filters/frontproxy"
	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
	"roadstead.dev/roadstead/pkg/apiserver/trust/servingcert"
	"roadstead.dev/roadstead/pkg/generated/openapi"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/compression"
	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// Config applies the options. The etcd that they name must be running.
func (o CompletedOptions) Config(ctx context.Context) (*apiserver.Config, error) {
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	// Before all clients are made: they take the tracer then.
	if err := o.Traces.ApplyTo(config.EgressSelector, &config.Config); err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	if err := o.CoreAPI.ApplyTo(config); err != nil {
		return nil, fmt.Errorf("host cluster: %w", err)
	}
	// What our own calls wait for is the host's own priority and fairness, not a guess in this process.
	config.ClientConfig.QPS = -1
	client, err := kubernetes.NewForConfig(config.ClientConfig)
	if err != nil {
		return nil, fmt.Errorf("host cluster: %w", err)
	}
	needs := o.needs()
	off, err := hostprobe.Await(ctx, client, needs, hostprobe.DefaultPatience)
	if err != nil {
		return nil, err
	}
	if err := keepRights(config, hostprobe.NewRights(client, needs, off)); err != nil {
		return nil, err
	}
	if err := o.ServerRun.ApplyTo(&config.Config); err != nil {
		return nil, err
	}
	o.applySchema(config)
	if err := o.APIEnablement.ApplyTo(&config.Config, apiserver.DefaultResources(), apiserver.Scheme); err != nil {
		return nil, fmt.Errorf("--runtime-config: %w", err)
	}
	extra := apiserver.ExtraConfig{Gate: gate.New(), Stored: &generic.Stored{}, ControllerUser: o.ControllerUser, SelfApproval: o.AllowSelfApproval}
	seeds, err := encryptionTransformers(extra.Gate)
	if err != nil {
		return nil, err
	}
	timeline := newTimeline(&extra)
	reader, err := encryption.NewReader(client, o.Namespace)
	if err != nil {
		return nil, err
	}
	readers, err := o.applyStorage(ctx, config, seeds, reader, timeline, &extra)
	if err != nil {
		return nil, err
	}
	if err := o.guard(config, timeline, &extra); err != nil {
		return nil, err
	}
	extra.Inventory = newInventory(extra, reader, readers)
	if err := o.keepSeeds(config, client, seeds, extra); err != nil {
		return nil, err
	}
	if err := o.applyServing(ctx, config, client); err != nil {
		return nil, err
	}
	if err := o.applyAccess(config, client, &extra, off); err != nil {
		return nil, err
	}
	if extra.CRDGuard, err = o.crdGuard(config, client); err != nil {
		return nil, err
	}
	o.showGuard(config, off)
	return &apiserver.Config{Generic: config, Extra: extra}, nil
}

// applySchema sets what describes our kinds to clients: OpenAPI v2 and v3.
func (o CompletedOptions) applySchema(config *genericapiserver.RecommendedConfig) {
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIConfig.Info.Title = apiserver.Name
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config.Info.Title = apiserver.Name
}

// applyStorage must come after API enablement: the factory asks what is enabled. It returns transformers for reading a store
// that may not be the one of this installation.
func (o CompletedOptions) applyStorage(ctx context.Context, config *genericapiserver.RecommendedConfig, seeds *encryption.Transformers, reader *encryption.Reader, timeline *epoch.Timeline, extra *apiserver.ExtraConfig) (readers value.ResourceTransformers, err error) {
	storage := o.Etcd.StorageConfig
	storage.StorageObjectCountTracker = config.StorageObjectCountTracker
	storage.Transport.TracerProvider = config.TracerProvider
	factory := newStorageFactory(storage, o.Etcd.DefaultStorageMediaType, config.MergedResourceConfig)
	if !o.ownEncryption() {
		config.ResourceTransformers = seeds
	}
	if err := o.Etcd.ApplyWithStorageFactoryTo(factory, &config.Config); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	readers = reader
	if o.ownEncryption() {
		// What the seeds wrote before the flag was set must stay readable.
		readers = reader.Before(config.ResourceTransformers)
		config.ResourceTransformers = seeds.Before(config.ResourceTransformers)
	}
	config.ResourceTransformers = compression.Transformers{Inner: config.ResourceTransformers}
	if extra.Etcd, err = etcdstore.Dial(ctx, storage, o.memberClient(), timeline); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	config.RESTOptionsGetter = etcdstore.Getter{
		RESTOptionsGetter: o.Etcd.CreateRESTOptionsGetter(factory, config.ResourceTransformers),
		Client:            extra.Etcd, Cached: o.Etcd.EnableWatchCache,
		Claims: config.ResourceTransformers.TransformerForResource(unique.Resource),
	}
	return readers, nil
}

// applyServing sets the listener and its certificate: the one of the flags, else that of the installation's Secret, which
// is then kept up, and its CA in our APIServices.
func (o CompletedOptions) applyServing(ctx context.Context, config *genericapiserver.RecommendedConfig, client kubernetes.Interface) error {
	aggregator, err := aggregator.NewForConfig(config.ClientConfig)
	if err != nil {
		return fmt.Errorf("host cluster: %w", err)
	}
	if err := hostprobe.CheckRegistration(ctx, aggregator, apiServices(config)); err != nil {
		return err
	}
	if !o.ownCertificate() {
		keeper, err := servingcert.New(ctx, servingcert.Options{
			Client: client, Aggregator: aggregator, Namespace: o.Namespace, Service: o.Service,
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

// apiServices gives the names of the APIServices of what is enabled.
func apiServices(config *genericapiserver.RecommendedConfig) []string {
	var names []string
	for gv, enabled := range config.MergedResourceConfig.GroupVersionConfigs {
		if enabled {
			names = append(names, gv.Version+"."+gv.Group)
		}
	}
	return names
}

// applyAccess sets who may do what: authentication, authorization, audit, fairness, admission; off are the parts that the
// host cannot carry.
func (o CompletedOptions) applyAccess(config *genericapiserver.RecommendedConfig, client kubernetes.Interface, extra *apiserver.ExtraConfig, off []hostprobe.Missing) error {
	features, plugins := o.without(off)
	if err := o.Authn.ApplyTo(&config.Authentication, config.SecureServing, config.OpenAPIConfig); err != nil {
		return fmt.Errorf("authentication: %w", err)
	}
	extra.FrontProxy = awaitFrontProxy(config)
	if err := o.Audit.ApplyTo(&config.Config); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	config.AuditPolicyRuleEvaluator = auditcap.Wrap(config.AuditPolicyRuleEvaluator, apiserver.WriteOnly()...)
	if err := features.ApplyTo(&config.Config, client, config.SharedInformerFactory); err != nil {
		return fmt.Errorf("features: %w", err)
	}
	if err := o.applyAuthorization(config, extra); err != nil {
		return fmt.Errorf("authorization: %w", err)
	}
	dynamicClient, err := dynamic.NewForConfig(config.ClientConfig)
	if err != nil {
		return fmt.Errorf("host cluster: %w", err)
	}
	if err := plugins.ApplyTo(&config.Config, config.SharedInformerFactory, client, dynamicClient, config.FeatureGate, config.EffectiveVersion,
		initializer.New(initializer.Config{Stored: extra.Stored, Uncached: extra.Uncached, ControllerUser: extra.ControllerUser})); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	return nil
}

// awaitFrontProxy keeps the server unready and its requests out until the aggregation layer can be recognized, which is then
// done without verifying its certificate for each request. It returns nil if the flags say to run without one.
func awaitFrontProxy(config *genericapiserver.RecommendedConfig) *frontproxy.Await {
	headers := config.Authentication.RequestHeaderConfig
	await := frontproxy.NewAwait(headers)
	if await != nil {
		config.AddReadyzChecks(healthz.NamedCheck("front-proxy-ca", await.Check))
		config.Authentication.Authenticator = union.New(frontproxy.New(headers, clock.RealClock{}), config.Authentication.Authenticator)
	}
	return await
}
