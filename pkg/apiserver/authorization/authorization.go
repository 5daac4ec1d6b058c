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
)

// Config says how the host is asked.
type Config struct {
	// Host reaches the host cluster. It is not changed.
	Host *rest.Config
	// QPS is how many questions a second are sent at most, with bursts of twice as many; negative: no limit.
	QPS float32
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

// New returns the authorizer. It makes no request yet. In place of it DelegatingAuthorizationOptions.ApplyTo would do, but
// for its client, which asks 200 times a second and no more: the cache goes by the object's name too, so that would be all
// the objects that a caller without system:masters can read in a second.
func New(c Config) (authorizer.Authorizer, error) {
	openPaths, err := path.NewAuthorizer(c.AlwaysAllowPaths)
	if err != nil {
		return nil, err
	}
	client, err := authorizationclient.NewForConfig(c.clientConfig())
	if err != nil {
		return nil, err
	}
	host, err := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: client,
		AllowCacheTTL:             c.AllowTTL,
		DenyCacheTTL:              c.DenyTTL,
		WebhookRetryBackoff:       c.Backoff,
	}.New()
	if err != nil {
		return nil, fmt.Errorf("authorizer of the host: %w", err)
	}
	if c.NameBlind {
		host = nameBlind(host)
	}
	return union.New(
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/always-allow-groups", Authorizer: authorizerfactory.NewPrivilegedGroups(c.AlwaysAllowGroups...)},
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/always-allow-paths", Authorizer: openPaths},
		union.NamedAuthorizer{AuthorizerName: "kubernetes.io/webhook", Authorizer: counted(host)},
	)
}

// clientConfig is that of the questions alone: nothing else waits for their limit, and they wait for nothing else's.
func (c Config) clientConfig() *rest.Config {
	config := rest.CopyConfig(c.Host)
	config.QPS, config.Burst = c.QPS, 0
	if c.QPS > 0 {
		config.Burst = max(1, int(2*c.QPS))
	}
	config.Timeout = c.Timeout
	// Cheaper to read and write than JSON, on both sides.
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.Wrap(timed)
	return config
}
