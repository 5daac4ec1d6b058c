// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/pkg/apiserver/authorization"
)

// AuthorizationOptions are ours beside those of the generic server.
type AuthorizationOptions struct {
	// QPS is how many SubjectAccessReviews a second are sent at most; negative: no limit.
	QPS float32
	// NameBlind asks without the object's name first.
	NameBlind bool
}

func newAuthorization() *AuthorizationOptions {
	return &AuthorizationOptions{QPS: -1}
}

// AddFlags adds the flags.
func (o *AuthorizationOptions) AddFlags(flags *pflag.FlagSet) {
	flags.Float32Var(&o.QPS, "authorization-qps", o.QPS,
		"SubjectAccessReviews a second that are sent to the host cluster at most, with bursts of twice as many. Negative: no limit, "+
			"since the host's own priority and fairness is one. Every first request for an object needs one, so this bounds the requests of all callers together.")
	flags.BoolVar(&o.NameBlind, "authorization-name-blind", o.NameBlind,
		"Ask the host cluster first whether the caller may do it to all objects of the resource in the namespace, and for the one object only when he may not. "+
			"One remembered answer then serves all objects. Right with RBAC, which never takes away. Off by default, because it is wrong where the host has an "+
			"authorization webhook that refuses single names to callers who may otherwise do it: they would be let pass.")
}

// Validate returns every error of the flags.
func (o *AuthorizationOptions) Validate() []error {
	if o.QPS == 0 {
		return []error{errors.New("--authorization-qps: 0 would let nobody in; give a rate, or a negative number for no limit")}
	}
	return nil
}

// applyAuthorization makes the authorizer.
func (o CompletedOptions) applyAuthorization(config *genericapiserver.RecommendedConfig) error {
	host, err := o.authorizationHost(config.ClientConfig)
	if err != nil {
		return fmt.Errorf("--authorization-kubeconfig: %w", err)
	}
	config.Authorization.Authorizer, err = authorization.New(authorization.Config{
		Host:              host,
		QPS:               o.Authorization.QPS,
		Timeout:           o.Authz.ClientTimeout,
		Backoff:           o.Authz.WebhookRetryBackoff,
		AllowTTL:          o.Authz.AllowCacheTTL,
		DenyTTL:           o.Authz.DenyCacheTTL,
		AlwaysAllowGroups: o.Authz.AlwaysAllowGroups,
		AlwaysAllowPaths:  o.Authz.AlwaysAllowPaths,
		NameBlind:         o.Authorization.NameBlind,
	})
	return err
}

// ownAuthorizationHost tells whether authorization asks with other credentials than the rest of the server.
func (o CompletedOptions) ownAuthorizationHost() bool {
	return o.Authz.RemoteKubeConfigFile != o.CoreAPI.CoreAPIKubeconfigPath
}

// authorizationHost is the client of the server, or that of a kubeconfig of its own.
func (o CompletedOptions) authorizationHost(core *rest.Config) (*rest.Config, error) {
	if !o.ownAuthorizationHost() {
		return core, nil
	}
	return clientcmd.BuildConfigFromFlags("", o.Authz.RemoteKubeConfigFile)
}
