// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	genericoptions "k8s.io/apiserver/pkg/server/options"

	"roadstead.dev/roadstead/pkg/admission/domainadoption"
	"roadstead.dev/roadstead/pkg/admission/domainreference"
	"roadstead.dev/roadstead/pkg/admission/ownerreferences"
	"roadstead.dev/roadstead/pkg/admission/releaseevidence"
	"roadstead.dev/roadstead/pkg/admission/secretaccess"
)

// upstream is the reviewed list of the generic server. When an upgrade changes it, decide where the new plugin goes in
// Order, and what rights it needs in artifacts/deploy.
var upstream = []string{
	"NamespaceLifecycle", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook",
}

func TestUpstreamListIsTheReviewedOne(t *testing.T) {
	options := genericoptions.NewAdmissionOptions()
	require.Equal(t, upstream, options.RecommendedPluginOrder)
	require.Empty(t, options.DefaultOffPlugins.UnsortedList())
	require.ElementsMatch(t, upstream, options.Plugins.Registered())
}

func TestOrder(t *testing.T) {
	options := genericoptions.NewAdmissionOptions()
	Register(options.Plugins)
	require.ElementsMatch(t, Order(), options.Plugins.Registered(), "every registered plugin has its place")
	require.Equal(t, "ResourceQuota", Order()[len(Order())-1], "what is refused is not counted")
	order := Order()[:len(Order())-1]
	theirs := slices.DeleteFunc(slices.Clone(order), func(name string) bool {
		return slices.Contains([]string{
			secretaccess.PluginName, ownerreferences.PluginName, domainadoption.PluginName, domainreference.PluginName,
			releaseevidence.PluginName,
		}, name)
	})
	require.Equal(t, upstream, theirs, "ours stand between, theirs keep their order")
	require.Equal(t, "NamespaceLifecycle", order[0])
	require.Equal(t, upstream[1:], order[len(order)-4:], "policies and webhooks of the host judge last")
}
