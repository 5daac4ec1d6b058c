// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/slots"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Connection is what an attempt knows of the Takaro that its object uses. Connect sets its fields
// step by step, and stops at the first problem.
type Connection struct {
	// Turn is the slot for requests to Takaro.
	Turn *slots.Turn[endpoint.Key]
	// Resolved is the endpoint, and Key identifies it.
	Resolved endpoint.Resolved
	Key      endpoint.Key
	// State is what is known of the Takaro installation.
	State takaroendpoint.State
	// Client is nil until requests may be sent.
	Client *takaro.Client
}

// Connect resolves the endpoint of a Domain, protects the Secrets in its namespace that the
// endpoint depends on, gets a slot, and sets the client. located may be nil. It is called as soon
// as the state of the endpoint is known, and its error stops the connection.
func (p Parts[T]) Connect(
	ctx context.Context, c *Connection, domain *v1alpha1.Domain, secrets []string, located func() error,
) *base.Blocked {
	for _, name := range secrets {
		if err := p.Protector.Hold(ctx, client.ObjectKey{Namespace: domain.Namespace, Name: name}); err != nil {
			return problem.Classify("protecting Secret "+name, err)
		}
	}
	resolved, err := p.Endpoints.Resolve(ctx, domain)
	if err != nil {
		return problem.Classify("looking for the endpoint's credentials", err)
	}
	c.Resolved, c.Key = resolved, endpoint.KeyOf(resolved.Endpoint)
	takaroClient, err := p.Pool.Client(resolved.Endpoint)
	if err != nil {
		return problem.Unusable(err, resolved.From)
	}
	if c.State, err = p.Keeper.At(ctx, domain, resolved); err != nil {
		return problem.Classify("reading the TakaroEndpoint", err)
	}
	if located != nil {
		if err := located(); err != nil {
			return problem.Classify("connecting", err)
		}
	}
	if c.State.Failed != nil {
		return problem.Classify("connecting", c.State.Failed)
	}
	if !c.Turn.TryEnter(c.Key, resolved.Own) {
		return problem.Queued(resolved)
	}
	c.Client = c.State.Guard(takaroClient)
	return nil
}
