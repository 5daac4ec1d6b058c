// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// releaseWait is how long a process that is ending waits for its requests before it releases
	// the anchors.
	releaseWait = 5 * time.Second
	// releaseTimeout limits the release of all anchors.
	releaseTimeout = 5 * time.Second
)

// Guard returns the client for changes in the Takaro of the state: each request that changes data
// is sent only while this process holds the anchor there.
func (s State) Guard(c *takaro.Client) *takaro.Client {
	if s.keeper == nil {
		return c
	}
	return s.keeper.guarded(s.At, s.Name, c)
}

func (k *Keeper) guarded(at types.NamespacedName, system string, c *takaro.Client) *takaro.Client {
	return c.Guarded(func() (func(), error) { return k.begin(at, system) })
}

// begin admits one request that changes data.
func (k *Keeper) begin(at types.NamespacedName, system string) (done func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.verified(at) {
		return nil, &outside.StoppedError{Decision: ownership.Unverified(ownership.Endpoint{Name: system})}
	}
	k.writes.Add(1)
	return sync.OnceFunc(k.writes.Done), nil
}

// Confirm checks Takaro again, and returns an error unless this process holds the anchor there. It
// must be called before a change that cannot be undone: the database may have been replaced since
// the last check.
func (s State) Confirm(ctx context.Context) error {
	if s.keeper == nil {
		return nil
	}
	return s.keeper.confirm(ctx, s.At, s.Name)
}

func (k *Keeper) confirm(ctx context.Context, at types.NamespacedName, system string) error {
	k.mu.Lock()
	asked, s := k.Clock.Now(), k.sightOf(at)
	unstored := s.unstored != nil
	k.mu.Unlock()
	if unstored {
		return nil // each attempt runs a check
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	k.mu.Lock()
	known := s.begun.After(asked)
	k.mu.Unlock()
	if !known {
		e, users, err := k.withUsers(ctx, at)
		if err != nil {
			return err
		}
		k.look(ctx, e, s, users)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case s.failed != nil:
		return s.failed
	case !k.verified(at):
		return &outside.StoppedError{Decision: ownership.Unverified(ownership.Endpoint{Name: system})}
	}
	return nil
}

// withUsers returns a TakaroEndpoint and the objects whose credentials are tried there.
func (k *Keeper) withUsers(ctx context.Context, at types.NamespacedName) (*v1alpha1.TakaroEndpoint, []*v1alpha1.Domain, error) {
	e := &v1alpha1.TakaroEndpoint{}
	if err := k.Client.Get(ctx, at, e); err != nil {
		return nil, nil, fmt.Errorf("get TakaroEndpoint %s: %w", at, err)
	}
	users, err := k.users(ctx, []*v1alpha1.TakaroEndpoint{e})
	return e, users[at], err
}

// giveUp releases the anchors, so that the next leader need not wait. After that, this process
// changes nothing. It must be called before the Lease is released.
func (k *Keeper) giveUp(ctx context.Context) {
	k.mu.Lock()
	held := map[types.NamespacedName]*sight{}
	for at, s := range k.sights {
		if k.verified(at) && s.found != nil && s.client != nil {
			held[at] = s
		}
	}
	k.leads = false
	k.mu.Unlock()
	if len(held) == 0 {
		return
	}
	ended := make(chan struct{})
	go func() {
		k.writes.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(releaseWait):
		log.FromContext(ctx).Info("Requests to Takaro have not ended; the next controller waits until the anchors stand still",
			"wait", anchor.StandStill)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	var all errgroup.Group
	for at, s := range held {
		all.Go(func() error {
			s.looking.Lock()
			defer s.looking.Unlock()
			name := anchor.Name(s.installation, anchor.Released)
			if _, err := s.client.UpdateDomain(ctx, s.found.ID, takaro.DomainUpdate{Name: &name}); err != nil {
				log.FromContext(ctx).Info("The anchor was not released; the next controller waits until it stands still",
					"takaroEndpoint", at, "wait", anchor.StandStill, "cause", err.Error())
			}
			return nil
		})
	}
	_ = all.Wait()
}
