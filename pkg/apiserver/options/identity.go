// SPDX-License-Identifier: Apache-2.0

package options

import (
	"net/http"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/identity"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// guard keeps resource requests out until the store is known to be the one that belongs to this cluster, and makes every
// store prove what it says is not there. It must come after the storage.
func (o CompletedOptions) guard(config *genericapiserver.RecommendedConfig, client kubernetes.Interface, extra *apiserver.ExtraConfig) error {
	guard := identity.New(identity.Config{
		Etcd: extra.Claims.Client, Prefix: extra.Claims.Prefix,
		Host: client, Namespace: o.Namespace,
		Gate: extra.Gate, Clock: clock.RealClock{},
	})
	extra.Identity, extra.Claims.Guard = guard, guard
	config.RESTOptionsGetter = generic.ProveAbsence(config.RESTOptionsGetter, guard)
	config.AddReadyzChecks(
		healthz.NamedCheck(identity.Cause, func(*http.Request) error { return guard.Ready() }),
		healthz.NamedCheck(etcd.QuotaCheck, etcd.CheckQuota(extra.Claims.Client)),
	)
	// The hook ends at once: a server whose store does not fit must serve discovery.
	return config.AddPostStartHook(identity.Cause, func(hook genericapiserver.PostStartHookContext) error {
		go guard.Run(hook)
		return nil
	})
}
