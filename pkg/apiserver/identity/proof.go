// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apiserver/gate"
)

// Prove returns nil when the store that answered is the one that fits, by a quorum read that begins after the call.
// Call it before saying that an object is not there: between a loss of the store and the next periodic check that would
// be untrue. Its error is the answer to the client; the gate is closed then. Concurrent calls share reads.
func (g *Guard) Prove(ctx context.Context) error {
	if gate.Inspecting(ctx) {
		return nil
	}
	return g.proofs.do(ctx)
}

// While returns a context for calls of the store that ends when the store stops to fit: without it a request waits out its
// whole time for an etcd that is away. The caller must call release when it has its answer.
func (g *Guard) While(ctx context.Context) (bound context.Context, release func()) {
	if gate.Inspecting(ctx) {
		return ctx, func() {}
	}
	g.mu.Lock()
	fitting := g.fitting
	g.mu.Unlock()
	bound, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(fitting, cancel)
	return bound, func() {
		stop()
		cancel()
	}
}

// prove outlives the request that asked first: others wait for it too.
func (g *Guard) prove() error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	floor := g.floor()
	id, revision, err := g.store.identity(ctx)
	if err != nil {
		g.again()
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Roadstead's store (etcd) does not answer: %v. Try again", err))
	}
	g.mu.Lock()
	fits := g.id != "" && g.id == id && revision >= floor
	if fits {
		g.revision = max(g.revision, revision)
	}
	g.mu.Unlock()
	if fits {
		return nil
	}
	// A full check names what is wrong, and closes the gate.
	g.Check(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.message == "" {
		return apierrors.NewServiceUnavailable("Roadstead's store changed during the request. Try again")
	}
	return apierrors.NewServiceUnavailable(g.message)
}
