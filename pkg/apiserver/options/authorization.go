// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/pkg/apiserver/trust/authorization"
)

// AuthorizationOptions are Roadstead's own, in addition to those of the generic server.
type AuthorizationOptions struct {
	// QPS is how many SubjectAccessReviews a second are sent at most; negative: no limit.
	QPS float32
	// CallerQPS is how many of them one caller may cost; negative: no limit.
	CallerQPS float32
	// NameBlind asks without the object's name first.
	NameBlind bool
}

// defaultCallerQPS is more than twice what one caller reaches against an otherwise idle cluster of
// two cores (docs/performance.md, "get of distinct names").
const defaultCallerQPS = 2000

func newAuthorization() *AuthorizationOptions {
	return &AuthorizationOptions{QPS: -1, CallerQPS: defaultCallerQPS}
}

// AddFlags adds the flags.
func (o *AuthorizationOptions) AddFlags(flags *pflag.FlagSet) {
	flags.Float32Var(&o.QPS, "authorization-qps", o.QPS,
		"SubjectAccessReviews a second that are sent to the host cluster at most, with bursts of twice as many. Negative: no limit, "+
			"since the host's own priority and fairness is one. Every first request for an object needs one, so this bounds the requests of all "+
			"callers together.")
	flags.Float32Var(&o.CallerQPS, "authorization-qps-per-caller", o.CallerQPS,
		"Maximum number of SubjectAccessReviews per second that the requests of one user may cost the cluster, with bursts of twice as "+
			"many. Further requests of this user are answered with 429 until the rate permits them. Answers from the cache do not count, "+
			"and members of system:masters are never reviewed. Negative: no limit.")
	flags.BoolVar(&o.NameBlind, "authorization-name-blind", o.NameBlind,
		"Ask the host cluster first whether the caller may do it to all objects of the resource in the namespace, and for the one object only "+
			"when he may not. One remembered answer then serves all objects. Right with RBAC, which never takes away. "+
			"Off by default, because it is wrong where the host has an "+
			"authorization webhook that refuses single names to callers who may otherwise do it: they would be let pass.")
}

// Validate returns every error of the flags.
func (o *AuthorizationOptions) Validate() []error {
	var errs []error
	if o.QPS == 0 {
		errs = append(errs, errors.New("--authorization-qps: 0 would let nobody in; give a rate, or a negative number for no limit"))
	}
	if o.CallerQPS == 0 {
		errs = append(errs, errors.New(
			"--authorization-qps-per-caller: must not be 0, which would refuse every request; set a rate, or a negative number for no limit"))
	}
	return errs
}

// ApplyTo sets the authorizer and the bounds of each caller, and returns an authorizer without a cache. It must run after priority
// and fairness is set. The cluster decides, reached by host; upstream are the options of the generic server.
func (o *AuthorizationOptions) ApplyTo(
	config *genericapiserver.Config, upstream *genericoptions.DelegatingAuthorizationOptions, host *rest.Config,
) (uncached authorizer.Authorizer, err error) {
	callers := authorization.NewCallers(o.CallerQPS)
	config.FlowControl = callers.FlowControl(config.FlowControl)
	authorizers, err := authorization.New(authorization.Config{
		Host:              host,
		QPS:               o.QPS,
		Callers:           callers,
		Timeout:           upstream.ClientTimeout,
		Backoff:           upstream.WebhookRetryBackoff,
		AllowTTL:          upstream.AllowCacheTTL,
		DenyTTL:           upstream.DenyCacheTTL,
		AlwaysAllowGroups: upstream.AlwaysAllowGroups,
		AlwaysAllowPaths:  upstream.AlwaysAllowPaths,
		NameBlind:         o.NameBlind,
	})
	if err != nil {
		return nil, err
	}
	config.Authorization.Authorizer = authorizers.Cached
	return authorizers.Uncached, nil
}

// ownAuthorizationHost reports whether authorization asks with other credentials than the rest of the server.
func (o CompletedOptions) ownAuthorizationHost() bool {
	return o.Authz.RemoteKubeConfigFile != o.CoreAPI.CoreAPIKubeconfigPath
}

// authorizationHost is the client of the server, or that of a kubeconfig of its own.
func (o CompletedOptions) authorizationHost(core *rest.Config) (*rest.Config, error) {
	if !o.ownAuthorizationHost() {
		return core, nil
	}
	own, err := clientcmd.BuildConfigFromFlags("", o.Authz.RemoteKubeConfigFile)
	if err != nil {
		return nil, fmt.Errorf("--authorization-kubeconfig: %w", err)
	}
	return own, nil
}
