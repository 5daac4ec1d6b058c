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

// Config says how the host is asked.
type Config struct {
	// Host reaches the host cluster. It is not changed.
	Host *rest.Config
	// QPS is how many reviews a second are sent at most, with bursts of twice as many; negative: no
	// limit.
	QPS float32
	// Callers bounds the reviews of each caller. Nil: only their number in flight is bounded.
	Callers *Callers
	// Timeout bounds one question; Backoff says how it is repeated when there is no answer.
	Timeout time.Duration
	Backoff *wait.Backoff
	// AllowTTL and DenyTTL are how long answers are remembered.
	AllowTTL, DenyTTL time.Duration
	// AlwaysAllowGroups may do everything, and AlwaysAllowPaths are open to everybody; the host is not asked.
	AlwaysAllowGroups, AlwaysAllowPaths []string
	// NameBlind asks without the object's name first, see nameBlind.
	NameBlind bool
}

// Authorizers are two ways to ask the same cluster.
type Authorizers struct {
	// Cached remembers answers. It is for requests of every kind.
	Cached authorizer.Authorizer
	// Uncached asks the cluster each time and for the exact object, so that a right that was taken away has no effect any more.
	// It is for the few decisions that cannot be taken back.
	Uncached authorizer.Authorizer
}

// forgotten is a lifetime of answers that are expired when they are stored: a lifetime of 0 includes the same instant.
const forgotten = -time.Second

// New returns the authorizers. It sends no request yet. DelegatingAuthorizationOptions.ApplyTo is not
// used because its client sends at most 200 reviews a second. The cache is keyed by the object's name
// too, so all callers without system:masters together could read 200 new objects a second.
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

// before puts the groups and paths that are always allowed before the host.
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
	// Cheaper to read and write than JSON, on both sides.
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.Wrap(timed)
	return config
}

// burst is how many reviews may be sent at once for a rate.
func burst(qps float32) int {
	return max(1, int(2*qps))
}
