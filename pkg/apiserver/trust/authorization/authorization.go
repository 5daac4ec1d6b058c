// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/authorization/path"
	"k8s.io/apiserver/pkg/authorization/union"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Config is the configuration of the authorizers.
type Config struct {
	// Host is the client configuration for the cluster. It is not changed.
	Host *rest.Config
	// QPS is the maximum number of reviews per second, with bursts of twice as many; negative: no
	// limit.
	QPS float32
	// Callers limits the reviews of each caller. Nil: only their number in flight is limited.
	Callers *Callers
	// Timeout is the timeout of one review; Backoff determines how it is repeated without a
	// response.
	Timeout time.Duration
	Backoff *wait.Backoff
	// AllowTTL and DenyTTL are the times for which decisions are cached.
	AllowTTL, DenyTTL time.Duration
	// AlwaysAllowGroups have all permissions, and AlwaysAllowPaths are open to all callers, without
	// a review.
	AlwaysAllowGroups, AlwaysAllowPaths []string
	// NameBlind first checks the permission without the name of the object, see nameBlind.
	NameBlind bool
}

// Authorizers are two authorizers with the same cluster.
type Authorizers struct {
	// Cached caches decisions. It is for all requests.
	Cached authorizer.Authorizer
	// Uncached sends a review each time, for the exact object, so that a revoked permission has no
	// effect. It is for the few decisions that cannot be revoked.
	Uncached authorizer.Authorizer
}

// forgotten is a TTL with which decisions are never cached: a TTL of 0 includes the same instant.
const forgotten = -time.Second

// New returns the authorizers. It sends no request yet. DelegatingAuthorizationOptions.ApplyTo is
// not used because its client sends at most 200 reviews per second. The key of the cache contains
// the name of the object, so all callers without system:masters together could read 200 new objects
// per second.
func New(c Config) (*Authorizers, error) {
	if c.Callers == nil {
		c.Callers = NewCallers(-1)
	}
	openPaths, err := path.NewAuthorizer(c.AlwaysAllowPaths)
	if err != nil {
		return nil, err
	}
	client, err := authorizationclient.NewForConfig(c.clientConfig())
	if err != nil {
		return nil, err
	}
	build := func(allowTTL, denyTTL time.Duration, blind bool) (authorizer.Authorizer, error) {
		host, err := authorizerfactory.DelegatingAuthorizerConfig{
			SubjectAccessReviewClient: client, AllowCacheTTL: allowTTL, DenyCacheTTL: denyTTL, WebhookRetryBackoff: c.Backoff,
		}.New()
		if err != nil {
			return nil, fmt.Errorf("authorizer of the cluster: %w", err)
		}
		if blind {
			host = nameBlind(host)
		}
		return c.before(openPaths, host)
	}
	cached, err := build(c.AllowTTL, c.DenyTTL, c.NameBlind)
	if err != nil {
		return nil, err
	}
	uncached, err := build(forgotten, forgotten, false)
	if err != nil {
		return nil, err
	}
	return &Authorizers{Cached: cached, Uncached: uncached}, nil
}

// before adds the groups and paths that are always allowed before the authorizer of the cluster.
func (c Config) before(openPaths, host authorizer.Authorizer) (authorizer.Authorizer, error) {
	return union.New(
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/always-allow-groups",
			Authorizer: authorizerfactory.NewPrivilegedGroups(c.AlwaysAllowGroups...)},
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/always-allow-paths", Authorizer: openPaths},
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/webhook", Authorizer: counted(host)},
	)
}

// clientConfig returns the configuration of a client for reviews only, which shares its rate limit
// with no other client.
func (c Config) clientConfig() *rest.Config {
	config := rest.CopyConfig(c.Host)
	limiter := flowcontrol.NewFakeAlwaysRateLimiter()
	if c.QPS > 0 {
		limiter = flowcontrol.NewTokenBucketRateLimiter(c.QPS, burst(c.QPS))
	}
	config.RateLimiter = perCaller{limiter, c.Callers}
	config.Timeout = c.Timeout
	// Cheaper to encode and decode than JSON, for client and server.
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.Wrap(timed)
	return config
}

// burst returns the burst for a rate.
func burst(qps float32) int {
	return max(1, int(2*qps))
}
