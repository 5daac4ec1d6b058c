// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/crdwebhook"
)

// guarding is the group version below which the host cluster asks about CustomResourceDefinitions.
var guarding = schema.GroupVersion{Group: "release.roadstead.dev", Version: "v1alpha1"}

// installCRDGuard lets the host ask, also while nothing can be read from the store: a cluster whose CRDs can be changed only
// while our etcd is well would be hard to mend. Without the group there is no guard.
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
