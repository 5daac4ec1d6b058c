// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
)

// guarding is the group version whose path contains the endpoint for reviews of
// CustomResourceDefinitions.
var guarding = schema.GroupVersion{Group: "release.roadstead.dev", Version: "v1alpha1"}

// installCRDGuard installs the endpoint of the CRD guard, which also works while the store is
// refused: otherwise the CRDs of the cluster could be changed only while Roadstead's etcd is
// available, which would complicate a repair. If the group is not enabled, there is no guard.
func (c completedConfig) installCRDGuard(server *genericapiserver.GenericAPIServer, groups []*genericapiserver.APIGroupInfo) error {
	installed := slices.ContainsFunc(groups, func(group *genericapiserver.APIGroupInfo) bool {
		return slices.Contains(group.PrioritizedVersions, guarding)
	})
	if !installed {
		return nil
	}
	if err := c.source.Extra.CRDGuard.Install(server, guarding); err != nil {
		return err
	}
	c.source.Extra.Gate.Exempt(crdwebhook.Path(guarding))
	return nil
}
