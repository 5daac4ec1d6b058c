// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"
	"slices"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
)

// hostClients are clients for the cluster with the credentials of one configuration.
type hostClients struct {
	client     kubernetes.Interface
	aggregator aggregator.Interface
}

func newHost(config *rest.Config) (hostClients, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return hostClients{}, fmt.Errorf("client for the cluster: %w", err)
	}
	aggregator, err := aggregator.NewForConfig(config)
	if err != nil {
		return hostClients{}, fmt.Errorf("client for the cluster: %w", err)
	}
	return hostClients{client: client, aggregator: aggregator}, nil
}

// awaitHost waits until the cluster responds and grants the permissions that the server requires.
// It returns the parts that the cluster does not support.
func (o CompletedOptions) awaitHost(
	ctx context.Context, config *genericapiserver.RecommendedConfig, client kubernetes.Interface,
) ([]hostprobe.Missing, error) {
	needs := o.needs()
	off, err := hostprobe.Await(ctx, client, needs, hostprobe.DefaultPatience)
	if err != nil {
		return nil, err
	}
	return off, keepRights(config, hostprobe.NewRights(client, needs, off))
}

// keepRights keeps the server unready while it lacks a permission in the cluster that it had when
// it started.
func keepRights(config *genericapiserver.RecommendedConfig, rights *hostprobe.Rights) error {
	config.AddReadyzChecks(healthz.NamedCheck(hostprobe.RightsCheck, rights.Check))
	return config.AddPostStartHook(hostprobe.RightsCheck, func(hook genericapiserver.PostStartHookContext) error {
		go rights.Run(hook)
		return nil
	})
}

// needs returns what the enabled parts need from the cluster.
func (o CompletedOptions) needs() []hostprobe.Need {
	var needs []hostprobe.Need
	for _, need := range hostprobe.Parts() {
		if !o.on(need.Part) {
			continue
		}
		// A plugin that is named in the flag is required.
		need.Essential = need.Essential || slices.Contains(o.Admission.EnablePlugins, need.Part)
		if o.ownAuthorizationHost() {
			// Authorization uses other credentials than the probe.
			need.Rights = slices.DeleteFunc(need.Rights, func(right hostprobe.Right) bool {
				return right.Resource.Resource == "subjectaccessreviews"
			})
		}
		needs = append(needs, need)
	}
	return needs
}

// on reports whether the flags enable a part.
func (o CompletedOptions) on(part string) bool {
	switch part {
	case hostprobe.Fairness:
		return o.Features.EnablePriorityAndFairness
	case hostprobe.Authentication:
		// Authentication uses other credentials than the probe, or the CA is read from another
		// source.
		return o.Authn.RemoteKubeConfigFile == o.CoreAPI.CoreAPIKubeconfigPath && !o.Authn.SkipInClusterLookup &&
			!o.Authn.TolerateInClusterLookupFailure && o.Authn.RequestHeader.ClientCAFile == ""
	}
	return slices.Contains(o.Admission.EnablePlugins, part) || !slices.Contains(o.Admission.DisablePlugins, part)
}

// without returns copies of the options in which the parts that the cluster does not support are
// disabled.
func (o CompletedOptions) without(off []hostprobe.Missing) (*genericoptions.FeatureOptions, *genericoptions.AdmissionOptions) {
	features, plugins := *o.Features, *o.Admission
	plugins.DisablePlugins = slices.Clone(plugins.DisablePlugins)
	for _, missing := range off {
		if missing.Part == hostprobe.Fairness {
			features.EnablePriorityAndFairness = false
		} else {
			plugins.DisablePlugins = append(plugins.DisablePlugins, missing.Part)
		}
	}
	return &features, &plugins
}
