// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

const (
	// secretSuffix is appended to the MockServer's name in the name of its Secret.
	secretSuffix = "-mock-server"
	// registrationKey is the key of a registration token, also in a Domain's Secret.
	registrationKey = "token"
	redisKey        = "redisPassword"
)

func secretName(server *v1alpha1.MockServer) string { return server.Name + secretSuffix }

// publish stores in the MockServer's Secret the values that its pods need and that are in no other
// Secret of the namespace.
func (r *reconciler) publish(ctx context.Context, a *attempt) *base.Blocked {
	data := map[string][]byte{}
	if a.server.Spec.DomainRef == nil {
		data[registrationKey] = []byte(a.token.Reveal())
	}
	if a.redis.shared {
		data[redisKey] = []byte(a.redis.podSecret.Reveal())
	}
	if len(a.Resolved.CABundle) > 0 {
		data[v1alpha1.DefaultCABundleKey] = a.Resolved.CABundle
	}
	if err := r.Secrets.Apply(ctx, a.server, secretName(a.server), data); err != nil {
		return problem.Classify("writing what the pods need", err)
	}
	return nil
}
