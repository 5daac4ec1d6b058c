// SPDX-License-Identifier: Apache-2.0

package options

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
)

// needed returns the parts of needs, with "!" after the essential ones.
func needed(options CompletedOptions) []string {
	var parts []string
	for _, need := range options.needs() {
		if need.Essential {
			need.Part += "!"
		}
		parts = append(parts, need.Part)
	}
	return parts
}

func TestWhatIsOffNeedsNothing(t *testing.T) {
	require.Equal(t, []string{
		"Authentication!", "NamespaceLifecycle!", "SecretReferenceAccess!", "OwnerReferencesPermissionEnforcement!", "DomainAdoption!",
		"DomainReference!", "ReleaseEvidence!",
		"MutatingAdmissionPolicy", "MutatingAdmissionWebhook",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota", "PriorityAndFairness",
	}, needed(New().Complete()))
	options := New()
	options.Features.EnablePriorityAndFairness = false
	options.Admission.DisablePlugins = []string{"MutatingAdmissionPolicy", "ResourceQuota", "DomainAdoption"}
	options.Admission.EnablePlugins = []string{"ValidatingAdmissionPolicy"}
	options.Authn.RequestHeader.ClientCAFile = "/ca"
	require.Equal(t, []string{
		"NamespaceLifecycle!", "SecretReferenceAccess!", "OwnerReferencesPermissionEnforcement!", "DomainReference!", "ReleaseEvidence!",
		"MutatingAdmissionWebhook",
		"ValidatingAdmissionPolicy!", "ValidatingAdmissionWebhook",
	}, needed(options.Complete()), "a plugin that the flag names is relied on")
}

func TestOtherCredentialsAreNotProbed(t *testing.T) {
	asked := func(options *Options) bool {
		for _, need := range options.Complete().needs() {
			for _, right := range need.Rights {
				if right.Resource.Resource == "subjectaccessreviews" {
					return true
				}
			}
		}
		return false
	}
	require.True(t, asked(New()))
	options := New()
	options.Authz.RemoteKubeConfigFile = "/another"
	require.False(t, asked(options))
}

func TestWhatTheHostCannotCarryIsOff(t *testing.T) {
	options := New()
	options.Admission.DisablePlugins = []string{"ResourceQuota"}
	features, plugins := options.Complete().without([]hostprobe.Missing{
		{Need: hostprobe.Need{Part: "MutatingAdmissionPolicy"}}, {Need: hostprobe.Need{Part: hostprobe.Fairness}},
	})
	require.False(t, features.EnablePriorityAndFairness)
	require.Equal(t, []string{"ResourceQuota", "MutatingAdmissionPolicy"}, plugins.DisablePlugins)
	require.Equal(t, []string{"ResourceQuota"}, options.Admission.DisablePlugins, "the flags stay as they were given")
	require.True(t, options.Features.EnablePriorityAndFairness)
}
