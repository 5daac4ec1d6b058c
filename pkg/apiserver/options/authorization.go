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

// AuthorizationOptions are the options of Roadstead, in addition to those of the generic server.
type AuthorizationOptions struct {
	// QPS is the maximum number of SubjectAccessReviews per second; negative: no limit.
	QPS float32
	// CallerQPS is the maximum number per second for the requests of one caller; negative: no
	// limit.
	CallerQPS float32
	// NameBlind first checks the permission without the name of the object.
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
		"Maximum number of SubjectAccessReviews per second that are sent to the cluster, with bursts of twice as many. Every first request "+
			"for an object needs one, so this limits the requests of all callers together. Negative: no limit, except for the priority and "+
			"fairness of kube-apiserver.")
	flags.Float32Var(&o.CallerQPS, "authorization-qps-per-caller", o.CallerQPS,
		"Maximum number of SubjectAccessReviews per second that the requests of one user may cost the cluster, with bursts of twice as "+
			"many. Further requests of this user are answered with 429 until the rate permits them. Answers from the cache do not count, "+
			"and members of system:masters are never reviewed. Negative: no limit.")
	flags.BoolVar(&o.NameBlind, "authorization-name-blind", o.NameBlind,
		"If true, first checks whether the caller has the permission for all objects of the resource in the namespace, and checks the "+
			"permission for the single object only if not. One cached decision then covers all objects. This is correct with RBAC, which "+
			"has no deny rules. Do not enable it if the cluster has an authorization webhook that denies access to single objects: "+
			"such requests would be allowed.")
}

// Validate returns every error of the flags.
func (o *AuthorizationOptions) Validate() []error {
	var errs []error
	if o.QPS == 0 {
		errs = append(errs, errors.New(
			"--authorization-qps: must not be 0, which would refuse every request; set a rate, or a negative number for no limit"))
	}
	if o.CallerQPS == 0 {
		errs = append(errs, errors.New(
			"--authorization-qps-per-caller: must not be 0, which would refuse every request; set a rate, or a negative number for no limit"))
	}
	return errs
}

// ApplyTo sets the authorizer and the limits of each caller, and returns an authorizer without a
// cache. It must run after priority and fairness is set. host is the configuration for the cluster,
// which decides; upstream are the options of the generic server.
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

// ownAuthorizationHost reports whether authorization uses other credentials than the rest of the
// server.
func (o CompletedOptions) ownAuthorizationHost() bool {
	return o.Authz.RemoteKubeConfigFile != o.CoreAPI.CoreAPIKubeconfigPath
}

// authorizationHost returns the configuration of the server, or that of --authorization-kubeconfig.
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
